"""The web page: ``hyperbaton serve``.

The server (:mod:`~hyperbaton.serve.app`) receives files and requests and computes nothing itself.
Worker processes (:mod:`~hyperbaton.serve.worker`) do: a few that stay for quick answers, and one
for each job. Only the server imports Starlette and uvicorn.
"""
