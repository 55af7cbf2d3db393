"""Texts on which tokenizers are known to differ."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

__all__ = ["NASTY", "nasty_texts"]

_EMOJI = [
    "👩‍👩‍👧‍👦 family 👨🏽‍🚀 astronaut 🏳️‍🌈 flag",
    "🇩🇪🇫🇷🇯🇵 🇺",
    "1️⃣2️⃣#️⃣ *️⃣ ☺️☺︎ ™ ™️ ‼️ ⁉️ ✔✔️ ♥♥️",
    "👍👍🏻👍🏿 🧑🏾‍🤝‍🧑🏻 👁️‍🗨️",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿 tags 󠁧 alone",
    "‍‍ zero width joiners ‍x‍ ‌non-joiner",
]
_MARKS = [
    "Z̸̢͙̓a̵͔͝l̷̠̄g̴̰̀o̶̘͝ text",
    "e\u0301 é e\u0301\u0301 \u0301 \u0301\u0302 \u00e9\u0301",
    "हिन्दी में क्षत्रिय श्री ज़ क़ \u0958 \u0915\u093c",
    "ไทยน้ำ ກ່ວາ ខ្មែរ မြန်မာ",
    "עִבְרִית עם ניקוד العَرَبِيَّة بالتشكيل لا ﻻ ﷺ ﷽",
    "각 ᄀ\u1161\u11a8 한국어 \u1112\u1161\u11ab",
    "\u0344 \u0340\u0341 \u212b \u2126 \u212a \u1e9b\u0323 \ufb01\ufb03 \ufb20",
    "a\u0327\u0323\u0301 a\u0301\u0323\u0327 q\u0307\u0323 q\u0323\u0307",
    "\u0f71\u0f72 \u0f73 \u0fb2\u0f80 \U0001d15e \U0001d160 \U0002f800 \uf900",
]
_COMPATIBILITY = [
    "ｆｕｌｌｗｉｄｔｈ　ＡＢＣ１２３ ﾊﾝｶｸ ｶﾞｷﾞ",
    "① ② ㊙ ㍿ ㎏ ㎡ ½ ¾ x² x₂ ℃ № ℡ Ⅷ ⅷ ﬁ ﬀ ﬆ",
    "… ‥ ․ ﹏ ︙ ﹖ ＂ ＇ ｀",
    "ſ ß ẞ ı İ i̇ ǆ ǅ Ǆ ŉ ΐ ὒ ᾳ",
    "non\u00a0breaking\u202fspace\u2007\u2009thin\u3000wide\u1680ogham\u205fmath",
]
_SPACES = [
    "",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "text ends in blanks   ",
    "text ends in a tab\t",
    "text ends in lines\n\n\n",
    "text ends in \r\n\r\n",
    "   leading",
    "\n\n  leading\n   indented\n\t\ttabs\n",
    "CRLF\r\nCRLF\r\n\r\nCR\rCR\r\rLF\n\r mixed\n \r\n \n",
    "a\u0085b\u2028c\u2029d\x0be\x0cf\x1cg\x1dh\x1ei\x1fj",
    "a  b   c    d     e      f       g        h",
    " \t \t\n \t\r\n  \u00a0 \u3000 x",
    "x \u00a0y\u00a0 z",
    "def f(x):\n    if x:\n        return  x\n\n\n    # end\n",
    "  x    y",
]
_CONTROL = [
    "NUL\x00in\x00the\x00text\x00",
    "\x00",
    "\ufeffbyte order mark\ufeff in \ufeff the text",
    "\x01\x02\x7f\x80\x9f \xad soft\u00adhyphen",
    "\ufffe \uffff \ufffd \ue000 \U0010ffff \U000e0001 \u0378",
    "\u202eright to left\u202c \u200e\u200f \u2066x\u2069",
]
_APOSTROPHES = [
    "don't DON'T Don'T I'm I'M we'll WE'LL you've YOU'Ve they'd they're THEY'RE it's IT'S",
    "don’t I’m we’ll you’ve they’d they’re it’s ’tis 'tis 'Tis",
    "'s 'S 't 're 'll 'lll 'x ''s '''ve '",
    "don`t don´t donʼt don＇t don\u02bct don\u2032t",
    "rock'n'roll l'homme d'Artagnan o'clock O'Neil's dogs'",
    "it'ſ 'ſ IT'ſ x'K we'ĺl",
    "' s ' t  'd\n'd\t'm",
]
_NUMBERS = [
    "1 12 123 1234 12345 123456 1234567 3.14159 1,000,000 1e-10 0x1F",
    "٠١٢٣٤٥٦٧٨٩ ۰۱۲۳ ०१२३४५ ๐๑๒๓ ０１２３ 〇一二三 Ⅻ ⅓ ²³ 𝟘𝟙𝟚 ᠐᠑ 𞥐",
    "a1b22c333d4444 1a 12b 2024-01-31T12:34:56.789Z v1.2.3-rc4 ½1 1½ 1²2",
    "१२३४५६७८९०१२३ 1١2٢3٣",
]
_MIXED = [
    "Hello世界Привет مرحبا नमस्ते こんにちは 안녕하세요 Γειά שלום สวัสดี",
    "日本語の文章。漢字とカタカナとひらがな、ーー長音ー。「引用」々〆ヶ",
    "中文，没有空格的句子。繁體中文！𠮷𠀀㐀龥龦",
    "camelCaseString HTTPServer getHTTPResponseCode XMLHttpRequest iPhone eBay ALLCAPS aB Ab ABc",
    "snake_case_name __init__ --long-option path/to/file.txt C:\\path\\x http://a.b/c?d=e&f=g#h",
    "ǅungla ǈubav Ǆ ʰʷ ªº ⅰⅱ Ⓐⓐ 🄰 𝒜𝓑 ᴬᴮ",
    "x=1;y+=2;z<<=3;a->b::c!=d&&e||f ?? g ... ///// ===== >>>> <!-- --> /* */ {}[]()",
    "‘quotes’ “double” «guillemets» „low“ — – ‐ ‑ − • · § ¶ † ‡ ‰",
    "ʕ•ᴥ•ʔ (╯°□°)╯︵ ┻━┻ ¯\\_(ツ)_/¯ ( ͡° ͜ʖ ͡°)",
    "ᏣᎳᎩ ⵜⵉⴼⵉⵏⴰⵖ ᚠᚢᚦ 𐌰𐌱 ꦗꦮ ᬩᬮᬶ ᠮᠣᠩᠭᠣᠯ བོད་སྐད ሰላም ქართული հայերեն",
    "a\u0300b\u0301c 1\u0301 .\u0301 \u0301a \n\u0301 \u200da",
]
_RUNS = [
    "a" * 3000,
    "ab" * 1500,
    " " * 2500,
    " " * 1999 + "x",
    "\n" * 1200,
    "\r\n" * 600,
    "\t" * 700,
    "=" * 1500,
    "-" * 77 + "\n" + "-" * 77,
    "1" * 1000,
    "é" * 800,
    "中" * 1000,
    "😀" * 500,
    "👩‍👩‍👧‍👦" * 60,
    "ا" * 700,
    "Aa" * 700,
    "!?" * 500,
    "the " * 400,
    " the the" * 300,
    "e\u0301" * 400,
    "\u0301" * 400,
    "\x00" * 300,
    "'" * 300,
    "'s" * 300,
    "supercalifragilisticexpialidocious" * 30,
]

NASTY = [
    *_EMOJI,
    *_MARKS,
    *_COMPATIBILITY,
    *_SPACES,
    *_CONTROL,
    *_APOSTROPHES,
    *_NUMBERS,
    *_MIXED,
    *_RUNS,
]


def nasty_texts(added: Iterable[str]) -> list[str]:
    """All nasty texts, and texts with these added tokens in all kinds of places."""
    texts = list(NASTY)
    tokens = list(added)
    for token in tokens[:40] + tokens[-10:]:
        texts += [
            token,
            f"{token}{token}",
            f"x{token}y {token} z  {token}  \n{token}\n",
            f" {token}",
            f"{token} ",
            f"e{token}\u0301 \u1112{token}\u1161",
            f"{token[:-1]} {token[1:]} {token.upper()} {token}s",
        ]
    for first, second in pairwise(tokens[:30]):
        texts.append(f"{first}{second} {first[:-1]}{second} {first}the{second}.")
    return texts
