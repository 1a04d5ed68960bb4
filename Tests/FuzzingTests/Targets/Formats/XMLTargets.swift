import XML

extension FuzzTarget {
    /// XML documents. FILE in an input is replaced by the path of an existing file that must not be read.
    static let xmlDocument = FuzzTarget("xml-document", upTo: 2048, of: "XMLDocument", "XPath", "LibXML") { bytes in
        let limits = XMLDocument.Limits(size: 2000, depth: 20)
        if let document = try? XMLDocument(parsing: bytes, limits: limits) {
            promise(bytes.count <= limits.size, "a document over the size limit was parsed")
            promise(depth(document.root) <= limits.depth + 1, "a document over the depth limit was parsed")
        }
        let input = text(bytes)
        if input.contains("FILE"), !input.contains(planted),
            let document = try? XMLDocument(parsing: Array(input.replacing("FILE", with: file).utf8))
        {
            promise(!holdsPlanted(document.root), "a document contains the text of another file")
        }
        if let values = try? XPath.values(of: paths, in: bytes, limits: limits) {
            promise(values.count == paths.count, "an expression returned no values")
        }
    }

    static let xmlRecords = FuzzTarget("xml-records", upTo: 2048, of: "XMLRecordReader", "XMLRecordState") { bytes in
        let whole = try? records([bytes])
        let parts = try? records(pieces(bytes))
        promise(
            whole.map { $0.map(\.fields) } == parts.map { $0.map(\.fields) },
            "parsing in pieces differs from parsing at once")
    }

    private static let paths = ["//a", "/*/*/@*", "count(//*)", "//b[. = 'x']", "string(/*)", "//comment() | //@*"]
        .map { path in ready { try XPath(path) } }

    /// The content of the planted file.
    private static let planted = "planted text"
    private static let file =
        "file:///" + #filePath.split(separator: "/").dropLast(5).joined(separator: "/")
        + "/Fixtures/Fuzz/xml-document/planted"

    private static func holdsPlanted(_ element: XMLElement) -> Bool {
        element.text.contains(planted) || element.attributes.values.contains { $0.contains(planted) }
            || element.comments.contains { $0.contains(planted) } || element.children.contains(where: holdsPlanted)
    }

    private static func depth(_ element: XMLElement) -> Int { 1 + (element.children.map(depth).max() ?? 0) }

    private static func records(_ pieces: [[UInt8]]) throws -> [XMLRecord] {
        let reader = try XMLRecordReader(element: "reader", recordSize: 200, depth: 20)
        var found: [XMLRecord] = []
        for piece in pieces { try reader.read(piece) { found.append($0) } }
        try reader.finish { found.append($0) }
        return found
    }
}
