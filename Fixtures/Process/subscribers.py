import json, os, sys
readers = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "readers.json")))
for line in sys.stdin:
    request = json.loads(line)
    response = {"id": request["id"]}
    reader = readers.get(request.get("key") or request.get("identifier"))
    if request["query"] == "authenticate":
        response["authenticated"] = reader is not None
        response.update({"key": request["identifier"], "stored": reader["password"]} if reader else {})
    elif request["query"] == "subscription":
        response["record"] = reader
    print(json.dumps(response), flush=True)
