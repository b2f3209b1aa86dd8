// Walks through the trees of a forest, one by one. There can be more of them than JavaScript's
// numbers can count.

const format = (count) => count.toLocaleString("en-US");

// onSelect(number) is called with the number of a tree, from 0, as a text.
export function startTreeBrowser(section, onSelect) {
  const find = (name) => section.querySelector(`#permutation-${name}`);
  const [field, problem] = [find("tree"), find("tree-error")];
  const steps = [...section.querySelectorAll("[data-step]")];
  let [number, count] = [0n, 1n];

  const targets = () => ({ first: 0n, previous: number - 1n, next: number + 1n, last: count - 1n });
  const exists = (target) => 0n <= target && target < count && target !== number;

  for (const step of steps) {
    step.addEventListener("click", () => {
      const target = targets()[step.dataset.step];
      if (exists(target)) onSelect(String(target));
    });
  }
  field.addEventListener("change", () => {
    const digits = field.value.replace(/[\s,.]/g, "");
    const wanted = /^\d{1,400}$/.test(digits) ? BigInt(digits) - 1n : -1n;
    const valid = 0n <= wanted && wanted < count;
    const all = count === 1n ? "There is only tree 1." : `Type a number from 1 to ${format(count)}.`;
    problem.textContent = valid ? "" : all;
    if (valid) onSelect(String(wanted));
  });

  return {
    show(tree) {
      [number, count] = [BigInt(tree.number), BigInt(tree.count)];
      problem.textContent = "";
      field.value = format(number + 1n);
      field.size = Math.max(4, format(count).length);
      find("count").textContent = `of ${format(count)}`;
      // A disabled button would lose the focus.
      for (const step of steps) {
        step.setAttribute("aria-disabled", !exists(targets()[step.dataset.step]));
      }
      const name = number ? "" : ", the canonical one: groups branch to the left";
      find("tree-name").textContent = `Tree ${format(number + 1n)} of ${format(count)}${name}.`;
    },
  };
}
