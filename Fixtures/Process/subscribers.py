import json, os, sys
readers = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "readers.json")))
for line in sys.stdin:
    question = json.loads(line)
    answer = {"id": question["id"]}
    reader = readers.get(question.get("key") or question.get("identifier"))
    if question["query"] == "authenticate":
        answer["authenticated"] = reader is not None
        answer.update({"key": question["identifier"], "stored": reader["password"]} if reader else {})
    elif question["query"] == "subscription":
        answer["record"] = reader
    print(json.dumps(answer), flush=True)
