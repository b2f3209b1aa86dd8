// Pairs of sentences for readers who want to see something at once. The first one is shown first.

export const EXAMPLES = [
  {
    name: "German order",
    hypothesis: "I have yesterday in the library an old book about birds found.",
    reference: "Yesterday I found an old book about birds in the library.",
    language: "en",
  },
  {
    name: "Japanese-like order",
    hypothesis: "My sister yesterday at school to her teacher a long letter showed.",
    reference: "My sister showed a long letter to her teacher at school yesterday.",
    language: "en",
  },
  {
    name: "Interleaved parts",
    hypothesis: "We in the lobby at noon meet.",
    reference: "At noon we meet in the lobby.",
    language: "en",
  },
  {
    name: "German",
    hypothesis: "Ich glaube, dass er hat gelesen das Buch gestern im Zug.",
    reference: "Ich glaube, dass er gestern im Zug das Buch gelesen hat.",
    language: "de",
  },
  {
    name: "French",
    hypothesis: "La noire vieille voiture de mon voisin est dans la rue garée.",
    reference: "La vieille voiture noire de mon voisin est garée dans la rue.",
    language: "fr",
  },
  {
    name: "Arabic, right to left",
    hypothesis: "الولد كتب رسالة طويلة إلى صديقه أمس",
    reference: "أمس كتب الولد إلى صديقه رسالة طويلة",
    language: "ar",
  },
  {
    name: "Chinese",
    hypothesis: "我在图书馆昨天看了一本书",
    reference: "我昨天在图书馆看了一本书",
    language: "zh",
  },
];
