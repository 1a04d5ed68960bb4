import CLibXML2

/// A document from an external system, parsed whole and treated as untrusted.
///
/// Nothing is fetched, no entity is substituted, and a document with a document type declaration is rejected before
/// the declaration is read. Source: “XML without entities”, “Decision”.
public struct XMLDocument: Sendable, Equatable {
    /// The maximum size and depth of a document.
    public struct Limits: Sendable {
        /// The maximum size in bytes. Default: 8 MiB.
        public var size: Int
        /// The maximum nesting depth of elements. Default: 100. Maximum: 250.
        public var depth: Int

        public init(size: Int = 8 << 20, depth: Int = 100) {
            self.size = size
            self.depth = min(depth, 250)
        }
    }

    public let root: XMLElement
    /// A Boolean value that indicates whether a processing instruction is before or after the root.
    public let hasInstructions: Bool

    /// - Throws: ``XMLError`` for bytes that are not a document within the limits.
    public init(parsing bytes: some Collection<UInt8>, limits: Limits = Limits()) throws {
        guard bytes.count <= limits.size else { throw XMLError.tooLarge(limit: limits.size) }
        (root, hasInstructions) = try LibXML.withDocument(Array(bytes)) { document in
            guard let root = xmlDocGetRootElement(document) else {
                throw XMLError.malformed("there is no root element")
            }
            var hasInstructions = false
            var node = document.pointee.children
            while let current = node {
                if current.pointee.type == XML_PI_NODE { hasInstructions = true }
                node = current.pointee.next
            }
            return (try XMLElement(copying: root, depth: limits.depth, limits: limits), hasInstructions)
        }
    }
}

/// An error that describes why bytes are not an acceptable document.
public enum XMLError: Error, Equatable, Sendable, CustomStringConvertible {
    case tooLarge(limit: Int)
    case recordTooLarge(limit: Int)
    case tooDeep(limit: Int)
    /// The document has a DOCTYPE.
    case declaresType
    case malformed(String)
    /// The text is not a schema.
    case notASchema(String)
    /// The text is not an XPath expression.
    case notAnXPath(String)
    /// The expression could not be evaluated: it exceeds the operation limit, or it uses an unknown name.
    case notEvaluated(String)
    /// The result of an expression exceeds the limits.
    case tooManyMatches
    case outOfMemory

    public var description: String {
        switch self {
        case .tooLarge(let limit): "the XML document is larger than \(limit) bytes"
        case .recordTooLarge(let limit): "a record of the XML document is larger than \(limit) bytes"
        case .tooDeep(let limit): "the XML document nests more than \(limit) elements"
        case .declaresType: "the XML document has a DOCTYPE, which is not accepted"
        case .malformed(let cause): "not well-formed XML: \(cause)"
        case .notASchema(let cause): "not a RELAX NG schema: \(cause)"
        case .notAnXPath(let expression): "not an XPath 1.0 expression: \(expression)"
        case .notEvaluated(let expression): "the XPath expression \(expression) could not be evaluated"
        case .tooManyMatches: "an XPath expression selects too much"
        case .outOfMemory: "libxml2 could not allocate memory"
        }
    }
}

extension XMLElement {
    /// Copies an element out of libxml2's tree, so that no reference to the tree remains.
    fileprivate init(copying node: xmlNodePtr, depth: Int, limits: XMLDocument.Limits) throws {
        guard depth > 0 else { throw XMLError.tooDeep(limit: limits.depth) }
        name = String(xml: node.pointee.name)
        namespace = String(xml: node.pointee.ns?.pointee.href)
        var attributes: [String: String] = [:]
        var hasQualifiedAttributes = false
        var attribute = node.pointee.properties
        while let current = attribute {
            let name = String(xml: current.pointee.name)
            if attributes[name] == nil || current.pointee.ns == nil {
                attributes[name] = LibXML.text(inside: current.pointee.children)
            }
            if current.pointee.ns != nil { hasQualifiedAttributes = true }
            attribute = current.pointee.next
        }
        self.attributes = attributes
        self.hasQualifiedAttributes = hasQualifiedAttributes
        var children: [XMLElement] = []
        var comments: [String] = []
        var hasInstructions = false
        var child = node.pointee.children
        while let current = child {
            switch current.pointee.type {
            case XML_ELEMENT_NODE:
                children.append(try XMLElement(copying: current, depth: depth - 1, limits: limits))
            case XML_COMMENT_NODE:
                comments.append(String(xml: current.pointee.content))
            case XML_PI_NODE:
                hasInstructions = true
            default:
                break
            }
            child = current.pointee.next
        }
        self.children = children
        self.comments = comments
        self.hasInstructions = hasInstructions
        text = LibXML.text(inside: node.pointee.children)
    }
}
