"""The MCP package of PyPI as a client: conversations in, what came back out, a JSON line each.

Standard input holds a list of {"to": {"command", "args", "cwd"} or {"url", "key"}, "mode", "calls": [[tool, arguments]]}.
"""

import asyncio
import json
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

DEADLINE_S = 600


async def call(client, tool, arguments):
    try:
        result = await client.call_tool(tool, arguments)
    except Exception as error:  # what a client raises is what is looked at
        return {"raised": type(error).__name__, "message": str(error), "code": getattr(error, "code", None)}
    texts = [block.text for block in result.content if block.type == "text"]
    return {"error": bool(result.is_error), "text": "\n".join(texts), "structured": result.structured_content}


async def talk(client, calls):
    async with client:
        tools = await client.list_tools()
        return {
            "server": client.server_info.name if client.server_info else None,
            "version": client.protocol_version,
            "instructions": client.instructions,
            "tools": [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in tools.tools],
            "calls": [await call(client, tool, arguments) for tool, arguments in calls],
        }


async def converse(plan):
    to, mode = plan["to"], plan["mode"]
    if "command" in to:
        return await talk(Client(StdioServerParameters(**to), mode=mode), plan["calls"])
    headers = {"Authorization": f"Bearer {to['key']}"} if to.get("key") else {}
    async with httpx2.AsyncClient(headers=headers, timeout=DEADLINE_S) as http:
        transport = streamable_http_client(to["url"], http_client=http)
        return await talk(Client(transport, mode=mode), plan["calls"])


def leaf(error):
    """The error inside the groups it was raised in."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def main():
    for plan in json.load(sys.stdin):
        try:
            said = await asyncio.wait_for(converse(plan), DEADLINE_S)
        except Exception as error:
            said = {"failed": repr(leaf(error))}
        print(json.dumps(said), flush=True)


asyncio.run(main())
