"""Text that speaks to a judging model instead of to a reader."""

from __future__ import annotations

import re

_MACHINE = (
    r"(?:evaluators?|judges?|graders?|fact[- ]?checkers?|verifiers?|assistants?|language models?"
    r"|llms?|ai (?:models?|agents?|assistants?|systems?|judges?)|chatbots?)"
)
_WHICH = r"(?:previous|prior|above|earlier|preceding|all|your)"
_WORDS = r"(?:\w{1,30}\s){0,%d}?"

# Precision first: pages about prompts and about machine learning must pass, so a pattern asks for
# an order, not for a topic. Each begins with one of its words in the first column (lower case): a
# page without them, as nearly all are, is not searched.
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
        ("<|im_", "<|system", "<|user", "<|assistant", "<|end", "[/inst]", "<system>", "</system>"),
        r"<\|(?:im_start|im_end|system|assistant|user|endoftext)\|>|\[/inst\]|</?system>",
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


def instructs(text: str) -> bool:
    """Whether a text holds what reads like an order to a judging model, in one of ten languages."""
    lowered = text.lower()
    return any(
        _near(lowered, word, pattern)
        for words, pattern in _COMPILED
        for word in words
        if word in lowered
    )


def _near(text: str, word: str, pattern: re.Pattern[str]) -> bool:
    """Whether a pattern is found around one of a word's places."""
    place = text.find(word)
    while place >= 0:
        if pattern.search(text, max(0, place - _BEFORE), place + _AFTER) is not None:
            return True
        place = text.find(word, place + _STEP)
    return False
