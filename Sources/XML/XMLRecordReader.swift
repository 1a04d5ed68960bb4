import CLibXML2

/// An element of a list of similar elements, as ``XMLRecordReader`` finds it.
public struct XMLRecord: Sendable, Equatable {
    public struct Field: Sendable, Equatable {
        /// The position of the text below the record: `name` for a child, `address/city` for a child's child, `@id`
        /// for an attribute, `edition/@code` for a child's attribute, `.` for the record's own text.
        public let path: String
        public let value: String

        public init(path: String, value: String) {
            self.path = path
            self.value = value
        }
    }

    /// The line on which the element begins. The first line is 1.
    public let line: Int
    /// The fields in the order of the document. A path may occur several times. A path without text is omitted.
    public let fields: [Field]
}

/// A reader for a document of any length that is a list of records, from chunks of bytes of any size.
///
/// The reader keeps no part of a delivered record. As with ``XMLDocument``, nothing is fetched, no entity is
/// substituted, and a document with a document type declaration is rejected. Names are read without their namespace
/// prefixes.
public final class XMLRecordReader {
    private let state: XMLRecordState
    private let context: xmlParserCtxtPtr
    private var isDone = false

    /// - Parameters:
    ///   - element: the name of the elements that are records. A nested element with this name is part of the outer
    ///     record.
    ///   - recordSize: the maximum size of the text of one record, including the names, in bytes. Default: 1 MiB.
    ///   - depth: The maximum depth of elements. Default: 100. Maximum: 250.
    /// - Throws: ``XMLError/outOfMemory``.
    public init(element: String, recordSize: Int = 1 << 20, depth: Int = 100) throws(XMLError) {
        xmlInitParser()
        state = XMLRecordState(element: element, recordSize: recordSize, depth: min(depth, 250))
        var handler = XMLRecordState.handler
        guard
            let context = xmlCreatePushParserCtxt(
                &handler, Unmanaged.passUnretained(state).toOpaque(), nil, 0, nil)
        else { throw .outOfMemory }
        self.context = context
        state.context = context
        // With NOENT, libxml2 delivers `&amp;` in an attribute as the character it represents. The only entities
        // are the five of XML itself, because the declaration of others is rejected.
        xmlCtxtUseOptions(
            context,
            Int32(
                XML_PARSE_NONET.rawValue | XML_PARSE_NOENT.rawValue | XML_PARSE_NOERROR.rawValue
                    | XML_PARSE_NOWARNING.rawValue))
    }

    deinit {
        xmlFreeParserCtxt(context)
    }

    /// Parses the next bytes, and passes each completed record to `body`.
    ///
    /// - Throws: ``XMLError``, or an error from `body`. The reader is unusable afterwards.
    public func read(_ bytes: [UInt8], _ body: (XMLRecord) throws -> Void) throws {
        try parse(bytes, isLast: false, body)
    }

    /// Ends the document.
    ///
    /// - Throws: ``XMLError``, also when the document is incomplete.
    public func finish(_ body: (XMLRecord) throws -> Void) throws {
        guard !isDone else { return }
        isDone = true
        try parse([], isLast: true, body)
    }

    private func parse(_ bytes: [UInt8], isLast: Bool, _ body: (XMLRecord) throws -> Void) throws {
        // The bytes are parsed in pieces, so that the records of a large chunk do not fill the memory.
        var rest = bytes[...]
        repeat {
            let piece = rest.prefix(1 << 16)
            rest = rest.dropFirst(piece.count)
            let code = piece.withUnsafeBytes {
                xmlParseChunk(
                    context, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count),
                    isLast && rest.isEmpty ? 1 : 0)
            }
            // The records before the error are delivered, because the caller may need them to locate the error.
            for record in state.take() { try body(record) }
            if let failure = state.failure { throw failure }
            guard code == 0, context.pointee.wellFormed == 1 else { throw XMLError.malformed(message(code)) }
        } while !rest.isEmpty
    }

    /// Returns the line and the number of the error. libxml2's own text is left out, because it may quote the
    /// document.
    private func message(_ code: Int32) -> String {
        let line = xmlCtxtGetLastError(context).map { Int($0.pointee.line) } ?? 0
        return "line \(line): error \(code) of libxml2"
    }
}
