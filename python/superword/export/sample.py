"""A small text in several languages, on which `superword export` checks the export."""

from __future__ import annotations

__all__ = ["sample_documents"]

_WORDS = {
    "en": "One of the first things that we have to say is that it is not as easy as it looks. "
    "It's the same in all of them, isn't it? On the other hand, there are a number of notes.",
    "de": "Das ist eines der ersten Dinge, die man in der Regel nicht auf den ersten Blick sieht.",
    "fr": "C'est l’une des choses qu’il faut dire au début : ce n'est pas si simple qu'on croit.",
    "es": "Es una de las cosas que hay que decir al principio: ¡no es tan fácil como parece!",
    "ru": "Это одна из первых вещей, о которых надо сказать. ФичаДляПроверкиМетода и т. д.",
    "el": "Είναι ένα από τα πρώτα πράγματα που πρέπει να πούμε στην αρχή.",
    "ar": "هذا من أول الأشياء التي يجب أن نقولها في البداية.",
    "he": "זה אחד הדברים הראשונים שצריך לומר בהתחלה, HTML ו־CSS, אA אAb.",
    "hi": "यह उन पहली बातों में से एक है जो हमें शुरू में कहनी चाहिए।",
    "th": "นี่เป็นหนึ่งในสิ่งแรกที่เราต้องพูดในตอนต้น",
    "ko": "이것은 우리가 처음에 말해야 할 것들 중 하나입니다.",
    "ja": "これは最初に言うべきことの一つです。　全角の空白も、 半角の空白もあります。",
    "zh": "这是我们一开始就要说的第一件事情之一。",
    "code": "def of_the(first, second=1234567):\n\treturn {'a': first[0] != second}  # as well\n",
    "odd": "camelCaseOf theThing and the\n\n  the  of THE of The   \t x̂y ʰh ǅx it’s ’tis "
    "rock'n'roll 12,345.67 \U0001f469\u200d\U0001f4bb \u200bend\r\nof the",
}


def sample_documents() -> list[str]:
    """Documents in several languages, and code."""
    return list(_WORDS.values())
