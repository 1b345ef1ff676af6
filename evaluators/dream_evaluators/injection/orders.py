"""Text that speaks to a judging model instead of to a reader."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from dream_evaluators.injection.readers import Lowered, Speech, speeches

# The flag of a source, and the kind of a finding.
ORDERS = "instruction_like_text"

_MACHINE = (
    r"(?:evaluators?|judges?|graders?|fact[- ]?checkers?|verifiers?|assistants?|language models?"
    r"|llms?|ai (?:models?|agents?|assistants?|systems?|judges?)|chatbots?)"
)
_WHICH = r"(?:previous|prior|above|earlier|preceding|all|your)"
_WORDS = r"(?:\w{1,30}\s){0,%d}?"

# Precision first: pages about prompts and about machine learning must pass, so a pattern asks for
# an order, not for a topic. Each holds one of the words in its first column (lower case), at most
# _BEFORE characters on: a page without them, as nearly all are, is not searched.
_ORDERS = (
    (
        ("ignore ", "disregard ", "forget ", "override "),
        rf"(?<!not )(?<!n't )(?<!never )\b(?:ignore|disregard|forget|override)\s{_WORDS % 2}"
        rf"{_WHICH}\s{_WORDS % 2}"
        r"(?:instructions?|prompts?|directives|guidelines|rubrics?)\b",
    ),
    (
        ("evaluator", "judge", "grader", "checker", "verifier", "assistant", "model", "llm", "ai "),
        rf"\b{_MACHINE}\s?[:,–—-]\s?{_WORDS % 8}(?:this (?:source|page|document|article)\s"
        r"(?:fully|completely|supports?|proves|confirms)|(?:answer|respond|reply|output|say|return)"
        r"\s[\"'“]?(?:with\s|only\s|that\s)?[\"'“]?(?:supported|yes|true|full|10|100)"
        r"|(?:mark|rate|score|label)\s(?:this|it|the|every|all)\b|you must\b|treat this\b)",
    ),
    (
        ("answer", "respond", "reply", "output", "return", "mark ", "rate ", "label ", "verdict"),
        r"\b(?:answer|respond|reply|output|return|mark|rate|label|verdict)\s?"
        r"(?:with|this|it|the claim|every claim|all claims|must be|is|as)?\s?(?:as)?\s?[:=]?\s?"
        r"[\"'“]?(?:fully?[- _])?supported\b(?!\s(?:by|on|in|for|and|with)\b)",
    ),
    (
        ("this source", "this page", "this document", "this article"),
        r"\bthis (?:source|page|document|article)\s(?:fully|completely|entirely)\s"
        r"(?:supports?|confirms?|proves?)\s(?:every|all|any|each)\s(?:claims?|statements?)\b",
    ),
    (
        ("you are a",),
        r"\bif you are an? (?:ai|llm|large language model|language model|automated)\b"
        r"[^.\n]{0,80}\b(?:must|please|do not|ignore|reply|respond|answer|rate|give)\b",
    ),
    (
        ("you are now", "from now on"),
        r"\b(?:you are now|from now on,? you (?:are|will))\b[^.\n]{0,40}\b(?:judge|evaluator|grader"
        r"|jailbroken|unrestricted|without restrictions|dan mode|developer mode)\b",
    ),
    (
        ("<|im_", "<|system", "<|user", "<|assistant", "<|end", "inst]", "<system>", "</system>"),
        r"<\|(?:im_start|im_end|system|assistant|user|endoftext)\|>|\[/?inst\]|</?system>",
    ),
    (
        ("sys>>", "tool_result", "end_of_untrusted", "submit_verdict", "record_verdict"),
        r"<</?sys>>|</?tool_result|\bend_of_untrusted|\b(?:submit|record)_verdict\b",
    ),
    (("full_support", "partial_support"), r"\b(?:full|partial)_support\b"),
    (
        ("support", "contradict", "unverifiable", "gestützt"),
        r"\b(?:grade|verdict|label|rating|urteil|étiquette|etiqueta|оценка|判定|标签|판정|werdykt"
        r"|ocena|karar|oordeel)\s?[:=：]\s?[\"'“„«‘]?\s?"
        r"(?:full(?:y)?[ _-]support|supported\b|contradict|unverifiable|vollständig gestützt)",
    ),
    (
        ("new instruction", "system instruction", "system prompt", "new prompt"),
        r"(?:^|[.!\n]\s?)(?:new (?:system )?|system )(?:instructions?|prompt)\s?:\s?[a-z]{2,20}\s",
    ),
    (
        ("do not ", "don't ", "never "),
        r"\b(?:do not|don't|never) (?:tell|mention|reveal|inform)\b[^.\n]{0,40}"
        r"\b(?:to the user|this instruction|these instructions|this prompt)\b",
    ),
    (
        ("human:", "user:"),
        r"(?:^|\n)\W{0,6}(?:human|user)\b.{0,20}:[^\n]{0,200}\n\s{0,4}\W{0,6}assistant\b.{0,20}:"
        r"[^\n]{0,300}\b(?:verdict|verified|supported|claim|sentence|label)\b",
    ),
    (
        (
            "abaikan",
            "bỏ qua",
            "talimat",
            "kural",
            "yönerge",
            "ignorera",
            "negeer",
            "zignoruj",
            "ігнору",
            "ละเว้น",
            "เพิกเฉย",
            "अनदेखा",
            "تجاهل",
            "התעלם",
            "αγνό",
            "ignorați",
            "ignoruj",
        ),
        r"(?:abaikan (?:semua |seluruh )?(?:pedoman|instruksi|perintah|aturan)"
        r"|bỏ qua (?:mọi|tất cả|các) (?:hướng dẫn|chỉ dẫn|chỉ thị|quy tắc)"
        r"|(?:önceki|yukarıdaki|tüm) (?:\w{1,20} )?(?:talimat|kural|yönerge)\w* "
        r"(?:yok say|görmezden)"
        r"|ignorera (?:alla |tidigare ){1,2}(?:instruktion|anvisning|regler)"
        r"|negeer (?:alle |eerdere |vorige ){1,2}(?:instructies|aanwijzingen|regels)"
        r"|zignoruj (?:wszystkie |poprzednie |wcześniejsze ){1,2}(?:instrukcje|polecenia|zasady)"
        r"|ігнору\w{1,6} (?:усі |всі |попередні ){1,2}(?:інструкції|вказівки|правила)"
        r"|(?:ละเว้น|เพิกเฉย)\S{0,20}(?:คำสั่ง|คำแนะนำ|กฎ)"
        r"|(?:निर्देश|नियम)\S{0,8} (?:\S{1,10} )?अनदेखा"
        r"|تجاهل (?:جميع |كل )?(?:التعليمات|الأوامر|القواعد)"
        r"|התעלם מ(?:כל )?(?:ה)?(?:הוראות|כללים)|αγνό\w{1,6} (?:όλες )?τις (?:\w{1,15} )?οδηγίες"
        r"|ignorați (?:toate )?(?:instrucțiunile|regulile)"
        r"|ignoruj(?:te)? (?:všechny |předchozí ){1,2}(?:pokyny|instrukce|pravidla))",
    ),
    (
        ("ignorier", "ignorez", "ignora", "ignore", "ignorar", "oublie"),
        rf"\b(?:ignorier(?:e|en sie|t)|ignorez|ignora|ignore|ignorar|oubliez)\s{_WORDS % 4}"
        r"(?:anweisungen|instrucciones|istruzioni|instruções|instructions précédentes"
        r"|consignes)\b",
    ),
    (
        ("忽略", "无视", "忽視", "無視", "忘记"),
        r"(?:忽略|无视|忽視|無視|忘记)(?:之前|以上|先前|前面|所有|上述|上面|你|的){1,4}"
        r"(?:指令|指示|提示词|提示詞|规则|規則)",
    ),
    (
        ("無視",),
        r"(?:以前|上記|これまで|以上)の(?:すべての|全ての)?(?:指示|命令|プロンプト)を?無視",
    ),
    (("игнорир",), rf"игнорируй(?:те)?\s{_WORDS % 3}(?:инструкции|указания)"),
    (
        ("무시",),
        r"(?:이전|위의|앞의|모든)\s?(?:모든\s)?(?:지시|명령|지침)(?:사항)?(?:를|을)?\s?무시",
    ),
)
_COMPILED = tuple((words, re.compile(pattern)) for words, pattern in _ORDERS)
# Characters around one of the words in which its pattern is looked for.
_BEFORE, _AFTER = 30, 350
_STEP = 150  # to the next place that is looked at: what lies between was in the last window


# Where one of a language's readers stands, this much around it is read.
_AROUND, _ONWARD = 200, 400
# Letters of Cyrillic that look like Latin ones; a word of both alphabets is a disguise.
_DISGUISED = re.compile("[a-z][\u0430-\u045f\u0501]|[\u0430-\u045f\u0501][a-z]")
_UNDISGUISED = str.maketrans("асеорхуіѕјһԁ", "aceopxyisjhd")
# Digits for letters: so many such words are no product names. One stands for i here, never for l.
_SPELT = re.compile(r"\b(?=[013457]{0,9}[a-z])(?=[a-z]{0,19}[013457])[a-z013457]{2,20}\b")
_UNSPELT = str.maketrans("013457", "oieast")
_SPELT_WORDS = 12
_SPELT_CUES = (
    "1gn0r", "d15r3g", "1n5tr", "1nstr", "m0d3l", "v3rd", "5upp0rt", "supp0rt", "pr0mpt", "judg3",
    "gr4d", "4n5w3r", "answ3r", "rubr1c", "cl41m", "3v4lu",
)  # fmt: skip
_FIRST_TAG = "\U000e0020"
_TAGS = {code: code - 0xE0000 for code in range(0xE0020, 0xE007F)}
_CODED = re.compile(r"[A-Za-z0-9+/]{60,20000}={0,2}")
MAX_CODED = 20  # coded stretches of a text that are decoded


def instructs(text: str) -> bool:
    """Whether a text holds what reads like an order to a judging model, in any known language.

    Also where it is spelt with look-alike letters, in characters without shape, or in base64 or
    rot13 that the text itself names. Linear in the text.
    """
    letters = set() if text.isascii() else set(text)
    if letters and max(letters) >= _FIRST_TAG:
        text = text.translate(_TAGS)
    return _orders(text) or any(_orders(decoded) for decoded in _decoded(text))


def _orders(text: str) -> bool:
    lowered = Lowered(text)
    if "cyrillic" in lowered.scripts and _DISGUISED.search(lowered.text):
        lowered = Lowered(f"{lowered.text}\n{lowered.text.translate(_UNDISGUISED)}")
    if any(map(lowered.holds, _SPELT_CUES)) and _spelt(lowered.text):
        lowered = Lowered(f"{lowered.text}\n{lowered.text.translate(_UNSPELT)}")
    return any(
        _near(lowered.text, word, pattern)
        for words, pattern in _COMPILED
        for word in filter(lowered.holds, words)
    ) or any(_speaks(lowered, speech) for speech in speeches().spoken_in(lowered))


def _spelt(text: str) -> bool:
    return sum(1 for _ in islice(_SPELT.finditer(text), _SPELT_WORDS)) == _SPELT_WORDS


def _speaks(text: Lowered, speech: Speech) -> bool:
    """Whether a text tells a reader of one language what to decide."""
    in_words = speeches().in_words
    for around in _around(text, speech.named(speech.programs, text)):
        if not speech.order.search(around):
            continue
        told = speech.matter.search(around) or in_words.search(around)
        if told and speech.verdict.search(around):
            return True
        if speech.approval.search(around) and speech.address.search(around):
            return True
    return any(
        in_words.search(around) and speech.order.search(around) and speech.matter.search(around)
        for around in _around(text, speech.named(speech.examiners, text))
    )


def _around(lowered: Lowered, words: Iterable[str]) -> Iterator[str]:
    """The surroundings of each place where one of some words stands."""
    text = lowered.text
    for word in words:
        place = text.find(word)
        while place >= 0:
            yield text[max(0, place - _AROUND) : place + _ONWARD]
            place = text.find(word, place + _STEP)


def _decoded(text: str) -> Iterator[str]:
    """What a text says in a code that it names."""
    lowered = text.lower()
    if "rot13" in lowered or "rot-13" in lowered:
        yield codecs.decode(text, "rot13")
    if "base64" in lowered or "decod" in lowered:
        for count, found in enumerate(_CODED.finditer(text)):
            if count == MAX_CODED:
                return
            padded = found[0].rstrip("=") + "=" * (-len(found[0].rstrip("=")) % 4)
            try:
                yield base64.b64decode(padded).decode("utf-8")
            except (binascii.Error, ValueError):
                continue


def _near(text: str, word: str, pattern: re.Pattern[str]) -> bool:
    """Whether a pattern is found around one of a word's places."""
    place = text.find(word)
    while place >= 0:
        if pattern.search(text, max(0, place - _BEFORE), place + _AFTER) is not None:
            return True
        place = text.find(word, place + _STEP)
    return False
