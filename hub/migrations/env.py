"""Alembic runs this: the migrations go through the connection that is open already, in its transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
context.run_migrations()
