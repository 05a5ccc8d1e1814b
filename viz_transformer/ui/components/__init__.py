"""Everything that shows something: browser components, their payloads and views."""
