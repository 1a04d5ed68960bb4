import CLibXML2
import Synchronization

/// A RELAX NG schema in the XML syntax, compiled once.
public final class RelaxNGSchema: Sendable {
    /// libxml2 does not promise that one compiled schema serves two threads at once.
    private let compiled: Mutex<OpaquePointer>

    /// - Throws: ``XMLError/notASchema(_:)`` or what reading the text as XML throws.
    public init(_ text: String) throws {
        let errors = ErrorCollector()
        let pointer = try LibXML.withDocument(Array(text.utf8)) { document -> OpaquePointer? in
            // Works on a copy of the document, which it frees itself.
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

    /// What is wrong with a document under this schema, the first of it; empty when it is valid.
    ///
    /// - Parameter isOpen: whether an element directly below the root, by its name without prefix and its namespace, may have anything
    ///   in it. That is not looked at: libxml2 takes long over what a schema leaves open.
    /// - Throws: ``XMLError`` when the bytes are no document at all.
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

    /// Takes out what is in the open elements, and their attributes.
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

/// Takes libxml2's errors in place of its standard error output, for the length of one call.
private final class ErrorCollector {
    private(set) var texts: [String] = []
    private static let most = 100

    /// What libxml2 hands back to ``callback``; good for as long as the collector is.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static let callback: @convention(c) (UnsafeMutableRawPointer?, xmlErrorPtr?) -> Void = { context, error in
        guard let context, let error else { return }
        let collector = Unmanaged<ErrorCollector>.fromOpaque(context).takeUnretainedValue()
        guard collector.texts.count < most else { return }
        collector.texts.append(LibXML.describe(error.pointee))
    }
}
