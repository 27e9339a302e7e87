-- Deleting a session takes what was told of it to webhooks; without this it would look through all of a tenant.
CREATE INDEX webhook_deliveries_of_session ON webhook_deliveries (tenant_id, (data ->> 'sessionId'));
