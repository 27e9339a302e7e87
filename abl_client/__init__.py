"""A typed client of the platform's HTTP API, generated from its OpenAPI document; the standard library is all it needs.

from abl_client import Client

client = Client("http://127.0.0.1:8400", key)
project = client.projects.create_project({"name": "Coffee"})["project"]
reply = client.chat.chat_with_agent({"projectId": project["id"], "message": "Hello"})
for event in client.streams.chat({"projectId": project["id"], "message": "Hello"}):
    print(event.name, event.data)
"""

from abl_client.client import Client
from abl_client.streams import AgentStream, CompletionStream, StreamEvent
from abl_client.transport import ApiError, CredentialMissing, ServerAway

__all__ = ["AgentStream", "ApiError", "Client", "CompletionStream", "CredentialMissing", "ServerAway", "StreamEvent"]
