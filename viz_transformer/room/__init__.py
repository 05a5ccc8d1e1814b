"""A room: a class's pages follow a lecturer's, and answer questions. The server's part, without Streamlit and torch."""
