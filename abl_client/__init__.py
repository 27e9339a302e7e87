"""A typed client of the platform's HTTP API, generated from its OpenAPI document; the standard library is all it needs.

from abl_client import Client

client = Client("http://127.0.0.1:8400", key)
project = client.projects.create_project({"name": "Coffee"})["project"]
reply = client.chat.chat_with_agent({"projectId": project["id"], "message": "Hello"})
"""

from abl_client.client import Client
from abl_client.transport import ApiError, CredentialMissing, ServerAway

__all__ = ["ApiError", "Client", "CredentialMissing", "ServerAway"]
