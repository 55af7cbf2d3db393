"""Split a text into runs of one script (the paper, Appendix B).

Every code point has a script: a real one (Latin, Han, Thai, ...), Common (spaces, digits,
punctuation), Inherited (combining marks) or Unknown (unassigned, treated as Common).

>>> script_runs("of the 德国HYDAC can")
[('Latin', 'of the'), ('Han', ' 德国'), ('Latin', 'HYDAC can')]
"""

from __future__ import annotations

from functools import cache

import regex

# The real scripts of Unicode 17.0. `script_of` tries them in this order: frequent ones first.
SCRIPTS = tuple(
    """
    Latin Han Cyrillic Arabic Hiragana Katakana Hangul Devanagari Thai Greek Hebrew Bengali Tamil
    Telugu Kannada Malayalam Gujarati Gurmukhi Oriya Sinhala Myanmar Khmer Lao Georgian Armenian
    Ethiopic Tibetan Mongolian
    Adlam Ahom Anatolian_Hieroglyphs Avestan Balinese Bamum Bassa_Vah Batak Beria_Erfe Bhaiksuki
    Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma
    Cham Cherokee Chorasmian Coptic Cuneiform Cypriot Cypro_Minoan Deseret Dives_Akuru Dogra
    Duployan Egyptian_Hieroglyphs Elbasan Elymaic Garay Glagolitic Gothic Grantha Gunjala_Gondi
    Gurung_Khema Hanifi_Rohingya Hanunoo Hatran Imperial_Aramaic Inscriptional_Pahlavi
    Inscriptional_Parthian Javanese Kaithi Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khojki
    Khudawadi Kirat_Rai Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Mandaic
    Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive
    Meroitic_Hieroglyphs Miao Modi Mro Multani Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa
    Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Ol_Onal Old_Hungarian Old_Italic
    Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur
    Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang
    Runic Samaritan Saurashtra Sharada Shavian Siddham Sidetic SignWriting Sogdian Sora_Sompeng
    Soyombo Sundanese Sunuwar Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Tai_Yo
    Takri Tangsa Tangut Thaana Tifinagh Tirhuta Todhri Tolong_Siki Toto Tulu_Tigalari Ugaritic Vai
    Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square
    """.split()  # noqa: SIM905 (a list of 172 lines would not be easier to read)
)
COMMON = "Common"
INHERITED = "Inherited"

_NOT_REAL = {
    COMMON: regex.compile(r"\p{Script=Common}"),
    INHERITED: regex.compile(r"\p{Script=Inherited}"),
}
_REAL = {name: regex.compile(rf"\p{{Script={name}}}") for name in SCRIPTS}


@cache
def script_of(char: str) -> str:
    r"""Return the script of one code point. Unknown counts as Common.

    >>> [script_of(char) for char in ("a", "电", " ", "\u0301", "\U000e0fff")]
    ['Latin', 'Han', 'Common', 'Inherited', 'Common']
    """
    for name, pattern in (_NOT_REAL | _REAL).items():
        if pattern.match(char):
            return name
    return COMMON


def script_runs(text: str) -> list[tuple[str | None, str]]:
    """Split a text where a new real script begins. Common code points before it go with it.

    >>> script_runs("a, b")
    [('Latin', 'a, b')]
    >>> script_runs("(德) ok")
    [('Han', '(德'), ('Latin', ') ok')]
    >>> script_runs("12 !")
    [(None, '12 !')]
    """
    runs: list[tuple[str | None, str]] = []
    current: str | None = None  # the real script of the run, None before the first one
    start = 0  # where the run starts
    end = 0  # after its last code point that is not Common
    for i, char in enumerate(text):
        script = script_of(char)
        if script == COMMON:
            continue
        if script != INHERITED and script != current:
            if current is not None:
                runs.append((current, text[start:end]))
                start = end
            current = script
        end = i + 1
    if start < len(text):
        runs.append((current, text[start:]))
    return runs


def real_scripts(text: str) -> set[str]:
    """Return the real scripts in a text.

    >>> sorted(real_scripts("德 ok, 12"))
    ['Han', 'Latin']
    """
    return {script_of(char) for char in text} - {COMMON, INHERITED}
