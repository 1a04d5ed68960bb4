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

    /// What is wrong with a document under this schema; empty when it is valid.
    ///
    /// - Throws: ``XMLError`` when the bytes are no document at all.
    public func errors(in bytes: [UInt8]) throws -> [String] {
        try compiled.withLock { schema in
            let errors = ErrorCollector()
            let verdict = try LibXML.withDocument(bytes) { document in
                guard let validation = xmlRelaxNGNewValidCtxt(schema) else { throw XMLError.outOfMemory }
                defer { xmlRelaxNGFreeValidCtxt(validation) }
                xmlRelaxNGSetValidStructuredErrors(validation, ErrorCollector.callback, errors.context)
                return xmlRelaxNGValidateDoc(validation, document)
            }
            return verdict == 0 || !errors.texts.isEmpty ? errors.texts : ["the document is not valid"]
        }
    }
}

/// Takes libxml2's errors in place of its standard error output, for the length of one call.
private final class ErrorCollector {
    private(set) var texts: [String] = []

    /// What libxml2 hands back to ``callback``; good for as long as the collector is.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static let callback: @convention(c) (UnsafeMutableRawPointer?, xmlErrorPtr?) -> Void = { context, error in
        guard let context, let error else { return }
        let collector = Unmanaged<ErrorCollector>.fromOpaque(context).takeUnretainedValue()
        collector.texts.append(LibXML.describe(error.pointee))
    }
}
