"""Languages: what codes, tags and names mean, and what is refused."""

from __future__ import annotations

import locale
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hyperbaton as hb
from hyperbaton.alignment.aligner import SNOWBALL_NAMES, stemmer_name
from hyperbaton.metrics.metric import Resources
from hyperbaton.metrics.order_metrics import METEOR_PARAMETERS
from hyperbaton.syntax.parsers import NEWS_LANGUAGES, WEB_LANGUAGES, default_pipeline, load_parser
from hyperbaton.text import languages
from hyperbaton.text.languages import Language, language_code, parse_language
from hyperbaton.text.tokenization import default_tokenizer

# The languages of FLORES-200 (NLLB Team 2022, table 1).
FLORES_TAGS = """
ace_Arab ace_Latn acm_Arab acq_Arab aeb_Arab afr_Latn ajp_Arab aka_Latn amh_Ethi apc_Arab arb_Arab
arb_Latn ars_Arab ary_Arab arz_Arab asm_Beng ast_Latn awa_Deva ayr_Latn azb_Arab azj_Latn bak_Cyrl
bam_Latn ban_Latn bel_Cyrl bem_Latn ben_Beng bho_Deva bjn_Arab bjn_Latn bod_Tibt bos_Latn bug_Latn
bul_Cyrl cat_Latn ceb_Latn ces_Latn cjk_Latn ckb_Arab crh_Latn cym_Latn dan_Latn deu_Latn dik_Latn
dyu_Latn dzo_Tibt ell_Grek eng_Latn epo_Latn est_Latn eus_Latn ewe_Latn fao_Latn fij_Latn fin_Latn
fon_Latn fra_Latn fur_Latn fuv_Latn gaz_Latn gla_Latn gle_Latn glg_Latn grn_Latn guj_Gujr hat_Latn
hau_Latn heb_Hebr hin_Deva hne_Deva hrv_Latn hun_Latn hye_Armn ibo_Latn ilo_Latn ind_Latn isl_Latn
ita_Latn jav_Latn jpn_Jpan kab_Latn kac_Latn kam_Latn kan_Knda kas_Arab kas_Deva kat_Geor kaz_Cyrl
kbp_Latn kea_Latn khk_Cyrl khm_Khmr kik_Latn kin_Latn kir_Cyrl kmb_Latn kmr_Latn knc_Arab knc_Latn
kon_Latn kor_Hang lao_Laoo lij_Latn lim_Latn lin_Latn lit_Latn lmo_Latn ltg_Latn ltz_Latn lua_Latn
lug_Latn luo_Latn lus_Latn lvs_Latn mag_Deva mai_Deva mal_Mlym mar_Deva min_Arab min_Latn mkd_Cyrl
mlt_Latn mni_Beng mos_Latn mri_Latn mya_Mymr nld_Latn nno_Latn nob_Latn npi_Deva nso_Latn nus_Latn
nya_Latn oci_Latn ory_Orya pag_Latn pan_Guru pap_Latn pbt_Arab pes_Arab plt_Latn pol_Latn por_Latn
prs_Arab quy_Latn ron_Latn run_Latn rus_Cyrl sag_Latn san_Deva sat_Olck scn_Latn shn_Mymr sin_Sinh
slk_Latn slv_Latn smo_Latn sna_Latn snd_Arab som_Latn sot_Latn spa_Latn als_Latn srd_Latn srp_Cyrl
ssw_Latn sun_Latn swe_Latn swh_Latn szl_Latn tam_Taml taq_Latn taq_Tfng tat_Cyrl tel_Telu tgk_Cyrl
tgl_Latn tha_Thai tir_Ethi tpi_Latn tsn_Latn tso_Latn tuk_Latn tum_Latn tur_Latn twi_Latn tzm_Tfng
uig_Arab ukr_Cyrl umb_Latn urd_Arab uzn_Latn vec_Latn vie_Latn war_Latn wol_Latn xho_Latn ydd_Hebr
yor_Latn yue_Hant zho_Hans zho_Hant zsm_Latn zul_Latn
"""
FLORES = FLORES_TAGS.split()


@pytest.mark.parametrize(
    ("tag", "code", "script", "region"),
    [
        ("de", "de", "Latn", None),
        ("DE", "de", "Latn", None),
        ("De", "de", "Latn", None),
        ("de-CH", "de", "Latn", "CH"),
        ("de_AT", "de", "Latn", "AT"),
        ("pt-BR", "pt", "Latn", "BR"),
        ("zh-Hans", "zh", "Hans", None),
        ("zh_hant_TW", "zh", "Hant", "TW"),
        ("ZH-HANS-CN", "zh", "Hans", "CN"),
        ("zh-hant-tw", "zh", "Hant", "TW"),  # the script rules out a pair
        (" de ", "de", "Latn", None),
        ("sr-Latn", "sr", "Latn", None),
        ("sr", "sr", "Cyrl", None),
        ("kxm_Thai", "kxm", "Thai", None),  # a script, although Thai is a language, too
        ("es-419", "es", "Latn", "419"),
        ("deu", "de", "Latn", None),
        ("ger", "de", "Latn", None),
        ("deu_Latn", "de", "Latn", None),
        ("arb_Arab", "ar", "Arab", None),
        ("prs", "fa", "Arab", None),
        ("hsb", "hsb", "Latn", None),
        ("yue", "yue", "Hant", None),
        # In lower case, a region is a region if it is no language, or the same one.
        ("en-us", "en", "Latn", "US"),
        ("en_gb", "en", "Latn", "GB"),
        ("zh-cn", "zh", "Hans", "CN"),
        ("de-de", "de", "Latn", "DE"),
        ("EN-US", "en", "Latn", "US"),
        ("EN-DE", "en", "Latn", "DE"),
        ("PT-BR", "pt", "Latn", "BR"),
        ("en-UK", "en", "Latn", "UK"),  # not Ukrainian
        # Variants, extensions and private use (the examples of RFC 5646, appendix A).
        ("sl-rozaj-biske", "sl", "Latn", None),
        ("de-CH-1901", "de", "Latn", "CH"),
        ("hy-Latn-IT-arevela", "hy", "Latn", "IT"),
        ("en-US-u-islamcal", "en", "Latn", "US"),
        ("de-CH-x-phonebk", "de", "Latn", "CH"),
        ("zh-CN-a-myext-x-private", "zh", "Hans", "CN"),
        # Names, and codes of old.
        ("German", "de", "Latn", None),
        ("german-AT", "de", "Latn", "AT"),
        ("Upper Sorbian", "hsb", "Latn", None),
        ("Serbo-Croatian", "sh", "Latn", None),
        ("norwegian", "nb", "Latn", None),
        ("no", "no", "Latn", None),
        ("cz", "cs", "Latn", None),
        ("iw", "he", "Hebr", None),
    ],
)
def test_tags(tag: str, code: str, script: str, region: str | None) -> None:
    assert parse_language(tag) == Language(code, script, region)
    assert language_code(tag) == code


def test_no_language() -> None:
    assert language_code(None) == ""


@pytest.mark.parametrize(
    ("tag", "advice"),
    [
        ("en-de", "give de, or en-DE for English as used in Germany"),
        ("en_de", "give de, or en-DE for English as used in Germany"),
        ("En-De", "give de, or en-DE for English as used in Germany"),
        ("eng-de", "give de, or en-DE for English as used in Germany"),
        ("pt-br", "give br, or pt-BR for Portuguese as used in Brazil"),
        ("en-cz", "give cz, or en-CZ for English as used in Czechia"),
        ("de-nl", "give nl, or de-NL for German as used in the Netherlands"),
        ("de-en", "give en"),  # there is no region EN
        ("en-JA", "give ja"),
        ("eng-deu", "give deu"),
        ("eng_Latn-deu_Latn", "give deu"),
        ("zh-yue", "give yue"),  # also a tag of Cantonese, of the form that RFC 5646 deprecates
        ("german-english", "give english"),
        ("en-de-DE", "give de, or en-DE for English as used in Germany"),
    ],
)
def test_pairs(tag: str, advice: str) -> None:
    with pytest.raises(hb.InputError) as caught:
        parse_language(tag)
    assert str(caught.value) == f"{tag!r} looks like a language pair: {advice}"
    for advised in re.findall(r"give (\S+?)(?:,|$)|or (\S+) for", advice):
        parse_language("".join(advised))


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("jp", "unknown language 'jp'; did you mean ja (Japanese)?"),
        ("gr", "unknown language 'gr'; did you mean el (Greek)?"),
        ("dk", "unknown language 'dk'; did you mean da (Danish)?"),
        ("ua", "unknown language 'ua'; did you mean uk (Ukrainian)?"),
        ("cn", "unknown language 'cn'; did you mean zh (Chinese)?"),
        ("vn", "unknown language 'vn'; did you mean vi (Vietnamese)?"),
        ("kz", "unknown language 'kz'; did you mean kk (Kazakh)?"),
        ("jp-JP", "unknown language 'jp-JP'; did you mean ja (Japanese)?"),
        ("Germann", "unknown language 'Germann'; did you mean de (German)?"),
        ("engl", "unknown language 'engl'; did you mean en (English)?"),
        ("xx", "unknown language 'xx'; did you mean xh (Xhosa)?"),
        ("-", "unknown language '-'; give a code such as en or pt-BR"),
        ("", "the language is empty; give a code such as en or pt-BR"),
        (" \n", "the language is empty; give a code such as en or pt-BR"),
        ("de-Latm", "unknown script 'Latm' in the language 'de-Latm': give de"),
        ("de-QX", "unknown region 'QX' in the language 'de-QX': give de"),
        ("en-EN", "unknown region 'EN' in the language 'en-EN': give en"),
        ("de-", "'de-' is not a language tag: give de, or a code such as en or pt-BR"),
        ("de-DE-", "'de-DE-' is not a language tag: give de, or a code such as en or pt-BR"),
        ("de-x", "'de-x' is not a language tag: give de, or a code such as en or pt-BR"),
    ],
)
def test_errors(tag: str, message: str) -> None:
    with pytest.raises(hb.InputError) as caught:
        parse_language(tag)
    assert str(caught.value) == message


@pytest.mark.parametrize("language", [1, b"de", ["de"], True])
def test_wrong_types(language: Any) -> None:
    for call in (parse_language, language_code, Resources, hb.Aligner, default_tokenizer):
        with pytest.raises(hb.InputTypeError, match="language must be a code such as 'en', got "):
            call(language)


@given(tag=st.text(max_size=12))
def test_any_text_is_understood_or_refused_on_one_line(tag: str) -> None:
    try:
        code = parse_language(tag).code
    except hb.InputError as error:
        message, code = str(error), ""
    else:
        message = ""
    assert len(message.splitlines()) == (not code)
    assert language_code(code or None) == code


@pytest.mark.parametrize("tag", FLORES)
def test_flores(tag: str) -> None:
    code, script = tag.split("_")
    assert parse_language(tag).script == script
    assert parse_language(tag).code == parse_language(code).code
    # Without its script, the language has the script that it has in FLORES, if that is only one.
    scripts = [other.split("_")[1] for other in FLORES if other.startswith(code)]
    usual = {"kor": ["Kore"], "crh": ["Cyrl"], "tzm": ["Latn"]}.get(code, scripts)
    assert parse_language(code).script in usual


# glibc's tags of what is no language or no region, and its names that are not English.
NO_TAGS = """
ar_AA pap_AN pp_AN sl_CS sr_CS pd_DE pd_US ph_PH en_DL en_EN en_ZS eo_EO eo_XX
"""
NO_NAMES = """
american cextend japan univ universal
bokmal dansk deutsch eesti galego hrvatski rumanian serbocroatian
"""


def test_agrees_with_the_locales_of_the_standard_library() -> None:
    names = set()
    for alias, value in locale.locale_alias.items():
        found = re.match(r"([a-z]{2,3})_([A-Z]{2})\b", value)
        if not found or found[0] in NO_TAGS.split():
            continue
        parsed = parse_language(found[0])
        assert parsed.region == found[2]
        if re.fullmatch("[a-z]{4,}", alias) and alias not in NO_NAMES.split():
            names.add(alias)
            code = parse_language(alias).code
            assert code == ("nb" if alias == "norwegian" else parsed.code)
    assert len(names) > 25


def test_the_tables_are_consistent() -> None:
    folder = Path(languages.__file__).parent
    rows = [
        line.split("\t") for line in (folder / "languages.tsv").read_text("utf-8").splitlines()[1:]
    ]
    codes = [row[0] for row in rows]
    others = [other for row in rows for other in row[3].split(",") if other]
    assert len(set(codes + others)) == len(codes + others)
    assert sum(len(code) == 2 for code in codes) == 183 + 1  # ISO 639-1, and sh, which it had
    assert {row[2] for row in rows} <= languages._tables().scripts
    assert len({row[1].lower() for row in rows}) == len(rows)
    for row in (folder / "regions.tsv").read_text("utf-8").splitlines()[1:]:
        region, name, language = row.split("\t")
        assert re.fullmatch("[A-Z]{2}", region)
        assert name
        assert language in codes


STEMMED = """
ar ca cs da de el en eo es et eu fa fi fr ga hi hu hy id it lt nb ne nl nn no pl pt ro ru sr st sv
ta tr yi
"""


def test_every_user_of_languages_has_known_ones() -> None:
    for code in {*SNOWBALL_NAMES, *NEWS_LANGUAGES, *WEB_LANGUAGES, *METEOR_PARAMETERS} - {"other"}:
        assert language_code(code) == code
    stemmers = {code: stemmer_name(code) for code, _ in languages.all_languages()}
    stemmed = {code: name for code, name in stemmers.items() if name}
    assert stemmed.keys() <= set(STEMMED.split())  # older versions of Snowball have fewer
    for code, name in stemmed.items():  # Snowball's names are valid names, too
        assert stemmer_name(name) == name == stemmer_name(code)


@pytest.mark.parametrize("tag", ["de", "de-CH", "deu_Latn", "German", "ger"])
def test_one_rule_for_all_users(tag: str) -> None:
    assert stemmer_name(tag) == "german"
    assert default_pipeline(tag) == "de_core_news_sm"
    metric = hb.metrics.get("meteor_frag", language=tag)
    assert metric.options["params"] == "de"
    assert "|align:exact+stem.de|" in str(metric.signature(1))
    assert hb.Aligner(tag).align("ein Haus", "Häuser").to_pharaoh() == "1-0"


@pytest.mark.parametrize("tag", ["en-de", "xx", ""])
def test_all_users_refuse(tag: str) -> None:
    text = ["a b"]
    for call in (
        lambda: hb.score(text, text, "wer", language=tag),
        lambda: hb.compare({"A": text, "B": text}, text, "chrf", language=tag),
        lambda: hb.explain("a b", "b a", language=tag),
        lambda: hb.align("a b", "b a", tag),
        lambda: hb.metrics.get("bleu", language=tag),
        lambda: hb.metrics.Bleu(language=tag),
        lambda: load_parser("udpipe:model.udpipe", tag),
        lambda: load_parser(None, tag),
        lambda: default_pipeline(tag),
        lambda: stemmer_name(tag),
        lambda: default_tokenizer(tag),
    ):
        with pytest.raises(hb.InputError, match="language"):
            call()
