"""How a part of the hub gets at the broker: where it is, as whom, and over which topics."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from paho.mqtt.client import Client, MQTTMessage, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion

#: All workers of a hub share its tables' events: each message goes to one of them.
SHARED = "$share/hub/"

KEEPALIVE_S, RETRY_S = 20, (1.0, 5.0)


@dataclass(frozen=True, slots=True)
class Access:
    """Where the broker is, and the hub's own key there; `authority` is a certificate in PEM, "" for those trusted.

    `retry_s` is how soon a lost connection is tried again, at first and at last.
    """

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    tls: bool = False
    authority: str = ""
    retry_s: tuple[float, float] = RETRY_S

    def client(
        self, name: str, topics: list[str], hear: Callable[[MQTTMessage], None], begin: Callable[[], None] | None = None
    ) -> Client:
        """Return a client that is being connected on a thread of its own, now and whenever it was lost.

        `begin` is called whenever it is connected, before it hears anything.
        """
        client = Client(CallbackAPIVersion.VERSION2, client_id=name, protocol=MQTTv5)
        client.username_pw_set(self.user, self.password)
        if self.tls:
            context = ssl.create_default_context(cadata=self.authority or None)
            context.check_hostname = False  # on this machine, whatever the certificate calls it
            client.tls_set_context(context)

        def connected(client: Client, _data: Any, _flags: Any, code: Any, _properties: Any) -> None:
            if not code.is_failure:
                if begin is not None:
                    begin()
                client.subscribe([(topic, 1) for topic in topics])

        client.on_connect = connected
        client.on_message = lambda _client, _data, message: hear(message)
        client.reconnect_delay_set(*self.retry_s)  # type: ignore[arg-type]  # it takes parts of a second, too
        client.max_queued_messages_set(100_000)
        client.connect_async(self.host, self.port, KEEPALIVE_S, clean_start=True)
        client.loop_start()
        return client


def close(client: Client) -> None:
    """Leave the broker, and end the client's thread."""
    client.disconnect()
    client.loop_stop()
