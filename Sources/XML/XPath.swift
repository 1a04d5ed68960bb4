import CLibXML2
import Synchronization

/// An XPath 1.0 expression, compiled once, that reads documents from outside.
///
/// The documents are read as ``XMLDocument`` reads them; how much an evaluation may do and how much it may hand over is
/// limited, because a document can be made to cost as much as its author likes.
public final class XPath: Sendable {
    /// The expression as it was written.
    public let expression: String
    private let namespaces: [String: String]
    private let compiled: Compiled
    /// An evaluation writes into what ``compiled`` points to.
    private let lock = Mutex(())

    /// `@unchecked Sendable`: every evaluation holds ``lock``, and `deinit` frees the expression when no reference is left.
    private struct Compiled: @unchecked Sendable {
        let pointer: xmlXPathCompExprPtr
    }

    /// In libxml2's own count of operations, about one for each node that is looked at.
    static let mostOperations: UInt = 1_000_000
    /// How many values one expression may find.
    public static let mostValues = 100_000

    /// - Parameter namespaces: the URIs of the prefixes in the expression.
    /// - Throws: ``XMLError/notAnXPath(_:)``, also for a prefix that has no namespace or a function that does not exist, as
    ///   far as that shows without a document.
    public init(_ expression: String, namespaces: [String: String] = [:]) throws {
        guard LibXML.isReady, let context = xmlXPathNewContext(nil) else { throw XMLError.outOfMemory }
        defer { xmlXPathFreeContext(context) }
        context.pointee.error = { _, _ in }
        guard !expression.utf8.contains(0), let compiled = xmlXPathCtxtCompile(context, expression) else {
            throw XMLError.notAnXPath(expression)
        }
        self.expression = expression
        self.namespaces = namespaces
        self.compiled = Compiled(pointer: compiled)
        do {
            _ = try Self.values(of: [self], in: Array("<x/>".utf8))
        } catch {
            throw XMLError.notAnXPath(expression)
        }
    }

    deinit {
        xmlXPathFreeCompExpr(compiled.pointer)
    }

    /// What each expression finds in a document: the string value of every node, in the document's order; one text for a
    /// number, a boolean (`true` or `false`) or a string. An empty string and what is not a number are no value at all,
    /// because `string(//a)` gives the same whether there is no `a` or an empty one.
    ///
    /// - Throws: ``XMLError``.
    public static func values(
        of expressions: [XPath], in bytes: some Collection<UInt8>, limits: XMLDocument.Limits = .init()
    ) throws -> [[String]] {
        guard bytes.count <= limits.size else { throw XMLError.tooLarge(limit: limits.size) }
        return try LibXML.withDocument(Array(bytes)) { document in
            try expressions.map { try $0.values(in: document, room: limits.size) }
        }
    }

    private func values(in document: xmlDocPtr, room: Int) throws -> [String] {
        try lock.withLock { _ in
            guard let context = xmlXPathNewContext(document) else { throw XMLError.outOfMemory }
            defer { xmlXPathFreeContext(context) }
            context.pointee.error = { _, _ in }
            context.pointee.opLimit = Self.mostOperations
            for (prefix, uri) in namespaces {
                guard xmlXPathRegisterNs(context, prefix, uri) == 0 else { throw XMLError.outOfMemory }
            }
            context.pointee.node = UnsafeMutableRawPointer(document).assumingMemoryBound(to: xmlNode.self)
            guard let result = xmlXPathCompiledEval(compiled.pointer, context) else {
                throw XMLError.notEvaluated(expression)
            }
            defer { xmlXPathFreeObject(result) }
            return try Self.texts(result, room: room)
        }
    }

    /// - Parameter room: how many bytes all texts together may have.
    private static func texts(_ result: xmlXPathObjectPtr, room: Int) throws -> [String] {
        switch result.pointee.type {
        case XPATH_NODESET:
            guard let nodes = result.pointee.nodesetval, nodes.pointee.nodeNr > 0 else { return [] }
            guard nodes.pointee.nodeNr <= mostValues else { throw XMLError.tooMuchFound }
            xmlXPathNodeSetSort(nodes)
            var room = room
            var texts: [String] = []
            for index in 0..<Int(nodes.pointee.nodeNr) {
                let text = try take(xmlXPathCastNodeToString(nodes.pointee.nodeTab[index]))
                room -= text.utf8.count
                guard room >= 0 else { throw XMLError.tooMuchFound }
                texts.append(text)
            }
            return texts
        case XPATH_BOOLEAN:
            return [result.pointee.boolval == 0 ? "false" : "true"]
        case XPATH_NUMBER:
            let number = result.pointee.floatval
            return number.isNaN ? [] : [try take(xmlXPathCastNumberToString(number))]
        case XPATH_STRING:
            let text = String(xml: result.pointee.stringval)
            return text.isEmpty ? [] : [text]
        default:
            throw XMLError.tooMuchFound
        }
    }

    private static func take(_ text: UnsafeMutablePointer<xmlChar>?) throws -> String {
        guard let text else { throw XMLError.outOfMemory }
        defer { clibxml2_free(text) }
        return String(xml: text)
    }
}
