# One image for the site, the workers and every command of manage.py.
FROM python:3.12-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 BIND=0.0.0.0 PROBE_HOME=/home/registry/var
WORKDIR /app
COPY requirements.txt .
RUN pip install --no-cache-dir --require-hashes -r requirements.txt
COPY manage.py ./
COPY registry registry
COPY probes probes
COPY ladder ladder
COPY templates templates
RUN python -m compileall -q registry probes ladder \
 && useradd --create-home --user-group registry

USER registry
EXPOSE 8000
CMD ["python", "manage.py", "serve", "--no-worker"]
