"""Tests of alter.py, on sentences written for them."""

import sys
import unittest
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent))

import alter  # noqa: E402

PASSAGE = (
    "The harbour of Velmora was opened in 1874 by Governor Anna Keller. Martin Holt defeated Peter Lang in the vote of 1880. "
    "Most of the ships carried 350 tons of grain. The old lighthouse guards the northern entrance, which is 3 miles wide. "
    "Holt may sell the dock to Robert Sandler. All boats must pay a fee of $20 within ten days. In Ostrand, Velmora grain was sold weekly."
)
OTHER = "In Bralin, Thomas Reed met Clara Voss in 1903. The museum in Bralin holds a collection of maps. The farmers of Bralin sold a horse."
POOL = alter.Pool.from_passages([PASSAGE, OTHER])


def altered(sentence: str, seed: int = 1) -> dict[str, str]:
    return {kind: text for kind, text, _ in alter.alter_sentence(sentence, PASSAGE, POOL, Random(seed))}


class Verbs(unittest.TestCase):
    def test_bases(self) -> None:
        pairs = "increased increase|stopped stop|studied study|played play|wrote write|created create|treated treat|released release|visited visit"
        pairs += "|required require|offered offer|passed pass|called call|controlled control|changed change|explained explain|combined combine"
        for pair in pairs.split("|"):
            past, base = pair.split()
            self.assertEqual(alter.base_of(past), base)

    def test_pasts(self) -> None:
        for base, past in (("stop", "stopped"), ("carry", "carried"), ("write", "wrote"), ("share", "shared")):
            self.assertEqual(alter.past_of(base), past)


class Lists(unittest.TestCase):
    def test_sizes(self) -> None:
        self.assertGreater(sum(len(v) for v in alter.OPPOSITES.values()) / 2, 300)
        self.assertGreater(len(alter.SYNONYMS), 150)


class Reading(unittest.TestCase):
    def test_names(self) -> None:
        names = alter.names_in(PASSAGE)
        self.assertIn("Velmora", names)
        self.assertIn("Martin Holt", names)
        self.assertNotIn("Most", names)

    def test_sentences(self) -> None:
        self.assertEqual(len(alter.sentences_of(PASSAGE)), 7)
        self.assertEqual(alter.sentences_of("Mr. Reed left. He ran."), ["Mr. Reed left.", "He ran."])


class Sentences(unittest.TestCase):
    def test_negation(self) -> None:
        for before, after in (
            ("The harbour was opened in 1874.", "The harbour was not opened in 1874."),
            ("The mayor increased the tax.", "The mayor did not increase the tax."),
            ("The dock contains a crane.", "The dock does not contain a crane."),
            ("They did not sell the boat.", "They sold the boat."),
            ("Visitors can see the tower.", "Visitors cannot see the tower."),
            ("There are boats in the bay.", "There are no boats in the bay."),
        ):
            self.assertEqual(altered(before)["negation"], after)

    def test_figures(self) -> None:
        for seed in range(30):
            made = altered("More than 350 boats paid a fee of $20 before 1880.", seed)
            self.assertNotIn("before 1880", made["date"])
            year = int(made["date"].split()[-1].rstrip("."))
            self.assertLess(year, 1880)
            self.assertNotEqual(made["number"], "More than 350 boats paid a fee of $20 before 1880.")

    def test_role_and_unit(self) -> None:
        self.assertEqual(altered("Martin Holt defeated Peter Lang.")["role"], "Peter Lang defeated Martin Holt.")
        self.assertNotIn("ten days", altered("The fee is due within ten days.")["unit"])

    def test_names_are_no_aliases(self) -> None:
        for seed in range(30):
            made = altered("The dock was given to Martin Holt.", seed)
            self.assertNotIn("Holt", made.get("name", ""))

    def test_article(self) -> None:
        self.assertEqual(alter.splice("It is a large tower.", 8, 13, "old"), "It is an old tower.")

    def test_subs_and_repeatability(self) -> None:
        one = alter.alter_sentence("All boats must pay a fee of $20.", PASSAGE, POOL, Random(4))
        self.assertEqual(one, alter.alter_sentence("All boats must pay a fee of $20.", PASSAGE, POOL, Random(4)))
        for kind, _, sub in one:
            self.assertEqual(sub, "neutral" if kind in ("detail", "noun", "modality") else "contradict")


class Kept(unittest.TestCase):
    def test_kinds(self) -> None:
        made = dict(alter.keep_sentence("However, the club (a small one) is not open on 3 May 2024 for 12 guests.", Random(1)))
        self.assertIn("isn't", made["contraction"])
        self.assertIn("May 3, 2024", made["date-form"])
        self.assertIn("twelve guests", made["number-form"])
        self.assertNotIn("small", made["parenthesis"])
        self.assertTrue(made["opening"].startswith("The club"))


class Questions(unittest.TestCase):
    def ask(self, question: str, answer: str, seed: int = 1) -> dict[str, str]:
        return dict(alter.alter_question(question, PASSAGE, answer, POOL, Random(seed)))

    def test_kinds(self) -> None:
        made = self.ask("Who opened the harbour of Velmora in 1874?", "Anna Keller")
        self.assertEqual(made["negation"], "Who did not open the harbour of Velmora in 1874?")
        self.assertNotIn("1874", made["date"])

    def test_lower_case(self) -> None:
        for seed in range(20):
            made = self.ask("who was defeated by martin holt in the vote?", "Peter Lang", seed)
            for text in made.values():
                self.assertEqual(text, text.lower())
            self.assertNotIn("peter lang", made.get("name", ""))

    def test_yes_no_questions_keep_their_verb(self) -> None:
        self.assertNotIn("antonym", self.ask("Does the old lighthouse guard the northern entrance?", ""))


if __name__ == "__main__":
    unittest.main()
