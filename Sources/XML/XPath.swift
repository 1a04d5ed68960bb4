import CLibXML2
import Synchronization

/// An XPath 1.0 expression, compiled once, that reads documents from external systems.
///
/// The documents are parsed in the same way as by ``XMLDocument``. The number of operations and the size of the
/// result of an evaluation are limited, because the author of a document can make an evaluation arbitrarily
/// expensive.
public final class XPath: Sendable {
    /// The source text of the expression.
    public let expression: String
    private let namespaces: [String: String]
    /// The address of the compiled expression. Only the owner of the lock reads it, because an evaluation writes to
    /// the expression.
    private let compiled: Mutex<UInt>

    /// The maximum number of operations, in libxml2's own count: about one for each visited node.
    static let maxOperations: UInt = 1_000_000
    /// The maximum number of values of one expression.
    public static let maxValues = 100_000

    /// - Parameters:
    ///   - expression: The expression in XPath 1.0.
    ///   - namespaces: the URIs of the prefixes in the expression.
    /// - Throws: ``XMLError/notAnXPath(_:)``, also for a prefix without a namespace or an unknown function, if
    ///   the error can be detected without a document.
    public init(_ expression: String, namespaces: [String: String] = [:]) throws {
        guard LibXML.isReady, let context = xmlXPathNewContext(nil) else { throw XMLError.outOfMemory }
        defer { xmlXPathFreeContext(context) }
        context.pointee.error = { _, _ in }
        guard !expression.utf8.contains(0), let compiled = xmlXPathCtxtCompile(context, expression) else {
            throw XMLError.notAnXPath(expression)
        }
        self.expression = expression
        self.namespaces = namespaces
        self.compiled = Mutex(UInt(bitPattern: compiled))
        do {
            _ = try Self.values(of: [self], in: Array("<x/>".utf8))
        } catch {
            throw XMLError.notAnXPath(expression)
        }
    }

    deinit {
        compiled.withLock { xmlXPathFreeCompExpr(xmlXPathCompExprPtr(bitPattern: $0)) }
    }

    /// Evaluates each expression in a document.
    ///
    /// The result of an expression is the string value of every node, in document order, or one text for a number,
    /// a boolean (`true` or `false`) or a string. An empty string and NaN count as no value, because `string(//a)`
    /// returns the same for a missing and an empty `a`.
    ///
    /// - Throws: ``XMLError``.
    public static func values(
        of expressions: [XPath], in bytes: some Collection<UInt8>, limits: XMLDocument.Limits = .init()
    ) throws -> [[String]] {
        guard bytes.count <= limits.size else { throw XMLError.tooLarge(limit: limits.size) }
        return try LibXML.withDocument(Array(bytes)) { document in
            try expressions.map { try $0.values(in: document, remaining: limits.size) }
        }
    }

    private func values(in document: xmlDocPtr, remaining: Int) throws -> [String] {
        try compiled.withLock { compiled in
            guard let context = xmlXPathNewContext(document) else { throw XMLError.outOfMemory }
            defer { xmlXPathFreeContext(context) }
            context.pointee.error = { _, _ in }
            context.pointee.opLimit = Self.maxOperations
            for (prefix, uri) in namespaces {
                guard xmlXPathRegisterNs(context, prefix, uri) == 0 else { throw XMLError.outOfMemory }
            }
            context.pointee.node = UnsafeMutableRawPointer(document).assumingMemoryBound(to: xmlNode.self)
            guard let result = xmlXPathCompiledEval(xmlXPathCompExprPtr(bitPattern: compiled), context) else {
                throw XMLError.notEvaluated(expression)
            }
            defer { xmlXPathFreeObject(result) }
            return try Self.texts(result, remaining: remaining)
        }
    }

    /// - Parameter remaining: the maximum size of all texts together, in bytes.
    private static func texts(_ result: xmlXPathObjectPtr, remaining: Int) throws -> [String] {
        switch result.pointee.type {
        case XPATH_NODESET:
            guard let nodes = result.pointee.nodesetval, nodes.pointee.nodeNr > 0 else { return [] }
            guard nodes.pointee.nodeNr <= maxValues else { throw XMLError.tooManyMatches }
            xmlXPathNodeSetSort(nodes)
            var remaining = remaining
            var texts: [String] = []
            for index in 0..<Int(nodes.pointee.nodeNr) {
                let text = try take(xmlXPathCastNodeToString(nodes.pointee.nodeTab[index]))
                remaining -= text.utf8.count
                guard remaining >= 0 else { throw XMLError.tooManyMatches }
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
            throw XMLError.tooManyMatches
        }
    }

    private static func take(_ text: UnsafeMutablePointer<xmlChar>?) throws -> String {
        guard let text else { throw XMLError.outOfMemory }
        defer { clibxml2_free(text) }
        return String(xml: text)
    }
}
