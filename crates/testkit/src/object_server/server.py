"""An S3 server that checks signatures, and what a test wants of it: one JSON list per line in, one JSON value per line out."""

import json
import logging
import os
import sys

os.environ.update(AWS_ACCESS_KEY_ID="setup", AWS_SECRET_ACCESS_KEY="setup", AWS_DEFAULT_REGION="us-east-1")
for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
    os.environ.pop(name, None)

import boto3
from moto import settings
from moto.server import ThreadedMotoServer

asked = []


class Note(logging.Handler):
    def emit(self, record):
        words = record.getMessage().split('"')
        if len(words) > 2:
            asked.append(words[1].split(" ")[1] + " " + words[2].split()[0])


logging.getLogger("werkzeug").setLevel(logging.INFO)
logging.getLogger("werkzeug").addHandler(Note())
logging.getLogger("werkzeug").propagate = False

server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
address = "http://%s:%s" % server.get_host_and_port()
iam = boto3.client("iam", endpoint_url=address)
iam.create_user(UserName="mira")
policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
iam.put_user_policy(UserName="mira", PolicyName="all", PolicyDocument=json.dumps(policy))
key = iam.create_access_key(UserName="mira")["AccessKey"]
s3 = boto3.client(
    "s3", endpoint_url=address, aws_access_key_id=key["AccessKeyId"], aws_secret_access_key=key["SecretAccessKey"]
)
s3.create_bucket(Bucket="docs")
# From here on every request must have the signature of a key that may do what it asks for.
settings.INITIAL_NO_AUTH_ACTION_COUNT = 0


def tell(value):
    print(json.dumps(value), flush=True)


tell({"address": address, "key": key["AccessKeyId"], "secret": key["SecretAccessKey"]})
for line in sys.stdin:
    verb, *words = json.loads(line)
    if verb == "put":
        s3.put_object(Bucket="docs", Key=words[0], Body=words[1].encode())
    elif verb == "delete":
        s3.delete_object(Bucket="docs", Key=words[0])
    elif verb == "fill":
        from moto.s3.models import s3_backends

        backend = s3_backends["123456789012"]["aws"]
        for number in range(words[1]):
            backend.put_object("docs", words[0] + str(number), b"")
    told, asked[:] = list(asked), []
    tell(told)
