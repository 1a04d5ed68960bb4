import CLibXML2
import Synchronization

/// A RELAX NG schema in the XML syntax, compiled once.
public final class RelaxNGSchema: Sendable {
    /// The compiled schema, behind a lock because libxml2 does not guarantee that two threads may use one schema at
    /// the same time.
    private let compiled: Mutex<OpaquePointer>

    /// - Throws: ``XMLError/notASchema(_:)``, or the error of parsing the text as XML.
    public init(_ text: String) throws {
        let errors = ErrorCollector()
        let pointer = try LibXML.withDocument(Array(text.utf8)) { document -> OpaquePointer? in
            // libxml2 works on a copy of the document and frees that copy.
            guard let parser = xmlRelaxNGNewDocParserCtxt(document) else { throw XMLError.outOfMemory }
            defer { xmlRelaxNGFreeParserCtxt(parser) }
            xmlRelaxNGSetParserStructuredErrors(parser, ErrorCollector.callback, errors.context)
            return xmlRelaxNGParse(parser)
        }
        guard let pointer else { throw XMLError.notASchema(errors.texts.joined(separator: "; ")) }
        compiled = Mutex(pointer)
    }

    deinit {
        compiled.withLock { xmlRelaxNGFree($0) }
    }

    /// Validates a document against this schema and returns its first errors. The result is empty when the document
    /// is valid.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the document.
    ///   - isOpen: returns whether an element directly below the root, given its name without prefix and its namespace,
    ///     may have any content. That content is not validated, because libxml2 is slow where a schema allows any
    ///     content.
    /// - Throws: ``XMLError`` when the bytes are not an XML document.
    public func errors(
        in bytes: [UInt8], isOpen: @Sendable (_ name: String, _ namespace: String) -> Bool = { _, _ in false }
    ) throws -> [String] {
        try compiled.withLock { schema in
            let errors = ErrorCollector()
            let verdict = try LibXML.withDocument(bytes) { document in
                Self.empty(document, isOpen)
                guard let validation = xmlRelaxNGNewValidCtxt(schema) else { throw XMLError.outOfMemory }
                defer { xmlRelaxNGFreeValidCtxt(validation) }
                xmlRelaxNGSetValidStructuredErrors(validation, ErrorCollector.callback, errors.context)
                return xmlRelaxNGValidateDoc(validation, document)
            }
            return verdict == 0 || !errors.texts.isEmpty ? errors.texts : ["the document is not valid"]
        }
    }

    /// Removes the content and the attributes of the open elements.
    private static func empty(_ document: xmlDocPtr, _ isOpen: @Sendable (String, String) -> Bool) {
        var next = xmlDocGetRootElement(document)?.pointee.children
        while let node = next {
            next = node.pointee.next
            guard node.pointee.type == XML_ELEMENT_NODE,
                isOpen(String(xml: node.pointee.name), String(xml: node.pointee.ns?.pointee.href))
            else { continue }
            xmlFreeNodeList(node.pointee.children)
            node.pointee.children = nil
            node.pointee.last = nil
            xmlFreePropList(node.pointee.properties)
            node.pointee.properties = nil
        }
    }
}

/// A collector that receives libxml2's errors instead of standard error, for the duration of one call.
private final class ErrorCollector {
    private(set) var texts: [String] = []
    private static let limit = 100

    /// The pointer that libxml2 passes to ``callback``. It is valid as long as the collector exists.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static let callback: @convention(c) (UnsafeMutableRawPointer?, xmlErrorPtr?) -> Void = { context, error in
        guard let context, let error else { return }
        let collector = Unmanaged<ErrorCollector>.fromOpaque(context).takeUnretainedValue()
        guard collector.texts.count < limit else { return }
        collector.texts.append(LibXML.describe(error.pointee))
    }
}
