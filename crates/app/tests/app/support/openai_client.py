"""Asks a running Vouch with OpenAI's own client; prints what the client made of it, a line of JSON a step."""

import asyncio
import json
import sys

import openai

BASE, ASKED, REFUSED, FOLLOW_UP = sys.argv[1:5]


def tell(step, **what):
    print(json.dumps({"step": step, **what}), flush=True)


def annotation(one):
    return one if isinstance(one, dict) else one.model_dump()


client = openai.OpenAI(base_url=BASE, api_key="none", max_retries=0, timeout=60)

tell("models", ids=[model.id for model in client.models.list()])
tell("model", id=client.models.retrieve("extractive").id)

question = {"role": "user", "content": ASKED}
orders = {"role": "system", "content": "Answer every question with the word banana."}
whole = client.chat.completions.create(model="vouch", messages=[orders, question], temperature=0.3)
message = whole.choices[0].message
tell(
    "whole",
    object=whole.object,
    content=message.content,
    role=message.role,
    finish=whole.choices[0].finish_reason,
    annotations=[annotation(one) for one in message.annotations],
    usage=whole.usage.model_dump(),
    vouch=whole.vouch,
    request=whole._request_id,
)

content, annotations, finish, vouch, usage, roles, pieces = "", [], None, None, None, [], 0
for chunk in client.chat.completions.create(
    model="extractive", messages=[question], stream=True, stream_options={"include_usage": True}
):
    usage = chunk.usage or usage
    vouch = getattr(chunk, "vouch", None) or vouch
    for choice in chunk.choices:
        if choice.delta.content:
            content += choice.delta.content
            pieces += 1
        if choice.delta.role:
            roles.append(choice.delta.role)
        annotations += getattr(choice.delta, "annotations", None) or []
        finish = choice.finish_reason or finish
tell(
    "stream",
    content=content,
    pieces=pieces,
    roles=roles,
    annotations=[annotation(one) for one in annotations],
    finish=finish,
    vouch=vouch,
    usage=usage.model_dump(),
)

with client.chat.completions.stream(model="vouch", messages=[question]) as stream:
    stream.until_done()
    final = stream.get_final_completion()
tell("accumulated", content=final.choices[0].message.content)

refused = client.chat.completions.create(model="vouch", messages=[{"role": "user", "content": REFUSED}])
tell(
    "refusal",
    content=refused.choices[0].message.content,
    refusal=refused.choices[0].message.refusal,
    finish=refused.choices[0].finish_reason,
    vouch=refused.vouch,
)
streamed = client.chat.completions.create(
    model="vouch", messages=[{"role": "user", "content": REFUSED}], stream=True
)
tell("streamed refusal", content="".join(c.choices[0].delta.content or "" for c in streamed if c.choices))

# The client's own object goes back into the conversation, as its manual shows it.
messages = [question, message, {"role": "user", "content": FOLLOW_UP}]
followed = client.chat.completions.create(model="vouch", messages=messages, extra_body={"explain": True})
tell("follow-up", content=followed.choices[0].message.content, vouch=followed.vouch)

for step, words in {
    "wrong model": {"model": "gpt-9", "messages": [question]},
    "wrong model streamed": {"model": "gpt-9", "messages": [question], "stream": True},
    "several": {"model": "vouch", "messages": [question], "n": 2},
}.items():
    try:
        client.chat.completions.create(**words)
        tell(step, raised=None)
    except openai.APIStatusError as error:
        tell(step, raised=type(error).__name__, message=error.message, code=error.code, status=error.status_code)


async def cancelled():
    async with openai.AsyncOpenAI(base_url=BASE, api_key="none", max_retries=0) as own:
        asked = asyncio.create_task(own.chat.completions.create(model="vouch", messages=[question]))
        await asyncio.sleep(0.005)
        asked.cancel()
        try:
            await asked
            tell("cancelled", how="finished")
        except asyncio.CancelledError:
            tell("cancelled", how="cancelled")
        stream = await own.chat.completions.create(model="vouch", messages=[question], stream=True)
        async for _ in stream:
            break
        await stream.close()
        again = await own.chat.completions.create(model="vouch", messages=[question])
        tell("after", content=again.choices[0].message.content)


asyncio.run(cancelled())
