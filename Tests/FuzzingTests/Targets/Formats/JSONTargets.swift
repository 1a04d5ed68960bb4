import JSON

extension FuzzTarget {
    static let json = FuzzTarget("json", upTo: 2048, of: "JSONParser", "JSONValue") { bytes in
        guard let value = try? JSONParser.parse(bytes) else { return }
        let again = try? JSONParser.parse(JSONWriter.bytes(value))
        promise(again == value, "a value does not round-trip")
        for path in paths { _ = try? path.values(in: value) }
        _ = JSONPointer("/a/0/b")?.value(in: value)
    }

    static let jsonPath = FuzzTarget("json-path", upTo: 128, of: "JSONPath", "JSONPathParser", "JSONPointer") { bytes in
        if let path = JSONPath(text(bytes)) { _ = try? path.values(in: store) }
        if let pointer = JSONPointer(text(bytes)) { _ = pointer.value(in: store) }
    }

    private static let paths = ["$..a", "$.a[*].b", "$[-1:]", "$..[?(@.b)]"].compactMap { JSONPath($0) }

    private static let store = ready {
        try JSONParser.parse(
            Array(
                #"{"store": {"book": [{"id": 1, "a": "x"}, {"id": 2, "b": [1, 2, 3]}], "id": null}, "a": {"b": {"c": true}}}"#
                    .utf8))
    }
}
