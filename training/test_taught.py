"""Tests of taught.py, on sentences written for them."""

import sys
import unittest
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent))

import taught  # noqa: E402
from test_alter import PASSAGE, POOL  # noqa: E402


class Forms(unittest.TestCase):
    def test_key_words(self) -> None:
        self.assertEqual(taught.terse("How long is the notice period for contractors?"), "notice period contractors")
        self.assertIsNone(taught.terse("Why?"))

    def test_requests(self) -> None:
        made = {taught.as_request("What is the fee of the harbour of Velmora?", Random(seed)) for seed in range(20)}
        self.assertIn("Tell me the fee of the harbour of Velmora", made)
        self.assertIsNone(taught.as_request("When did it open?", Random(1)))

    def test_yes_no(self) -> None:
        self.assertEqual(taught.as_yes_no("All boats must pay a fee of $20 within ten days."), "Must all boats pay a fee of $20 within ten days?")
        self.assertEqual(taught.as_yes_no("Martin Holt was elected in 1880."), "Was Martin Holt elected in 1880?")
        self.assertIsNone(taught.as_yes_no("Holt defeated Lang."))

    def test_counts(self) -> None:
        self.assertEqual(taught.counted("Which rivers cross the valley?"), "How many rivers cross the valley?")
        self.assertIsNone(taught.counted("Which class is it?"))

    def test_questions_about_things_of_the_passage(self) -> None:
        made = [question for seed in range(40) for question in taught.about(PASSAGE, POOL, Random(seed))]
        self.assertTrue(all(question.endswith("?") for question in made))
        self.assertTrue(any(question.startswith("How many") for question in made))
        self.assertTrue(any(question.startswith("Who") for question in made))

    def test_other_voices(self) -> None:
        made = {taught.in_other_voices("Every employee is required to report a fault within ten days.", Random(seed)) for seed in range(30)}
        self.assertIn("You must report a fault within ten days.", made)
        self.assertIsNone(taught.in_other_voices("The mast fell.", Random(1)))

    def test_stitched_sentences(self) -> None:
        sentences = ["The harbour of Velmora was opened by Martin Holt in 1880.", "All boats must pay a fee of twenty crowns within ten days."]
        for seed in range(20):
            made = taught.stitched(sentences, Random(seed))
            self.assertTrue(made.endswith(".") and made not in sentences)
            self.assertTrue(set(made.rstrip(".").split()) <= set(" ".join(sentences).replace(".", "").split()))
        self.assertIsNone(taught.stitched(sentences[:1], Random(1)))


if __name__ == "__main__":
    unittest.main()
