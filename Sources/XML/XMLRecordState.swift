import CLibXML2

/// The state that collects records from libxml2's events.
final class XMLRecordState {
    private struct Level {
        let name: String
        var text: [UInt8] = []
        var hasChildren = false
    }

    private let element: String
    private let recordSize: Int
    private let depth: Int
    private var outside = 0
    /// The open elements of the current record, with the record itself first.
    private var levels: [Level] = []
    private var line = 0
    private var size = 0
    private var fields: [XMLRecord.Field] = []
    private var finished: [XMLRecord] = []
    private(set) var failure: XMLError?
    /// The parser that sends the events and outlives them.
    var context: xmlParserCtxtPtr?

    init(element: String, recordSize: Int, depth: Int) {
        self.element = element
        self.recordSize = recordSize
        self.depth = depth
    }

    func take() -> [XMLRecord] {
        defer { finished.removeAll(keepingCapacity: true) }
        return finished
    }

    /// - Parameter attributes: pairs of name and value.
    fileprivate func begin(_ name: String, _ attributes: [(String, [UInt8])]) {
        guard failure == nil else { return }
        guard outside + levels.count < depth else { return stop(.tooDeep(limit: depth)) }
        if levels.isEmpty {
            guard name == element else {
                outside += 1
                return
            }
            line = context.map { Int(xmlSAX2GetLineNumber($0)) } ?? 0
            size = 0
        } else {
            levels[levels.count - 1].hasChildren = true
        }
        levels.append(Level(name: name))
        grow(by: name.utf8.count)
        for (attribute, value) in attributes {
            grow(by: attribute.utf8.count + value.count)
            let path = levels.count == 1 ? "@\(attribute)" : "\(path)/@\(attribute)"
            append(path, value)
        }
    }

    fileprivate func add(_ text: UnsafeBufferPointer<UInt8>) {
        guard failure == nil, !levels.isEmpty else { return }
        grow(by: text.count)
        levels[levels.count - 1].text.append(contentsOf: text)
    }

    fileprivate func end() {
        guard failure == nil else { return }
        guard let level = levels.last else {
            outside -= 1
            return
        }
        let isBlank = level.text.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) }
        // White space between children is only layout.
        if !isBlank || (!level.hasChildren && !level.text.isEmpty) {
            append(levels.count == 1 ? "." : path, level.text)
        }
        levels.removeLast()
        if levels.isEmpty {
            finished.append(XMLRecord(line: line, fields: fields))
            fields.removeAll()
        }
    }

    fileprivate func declareType() { stop(.declaresType) }

    /// The path of the innermost element, below the record.
    private var path: String { levels.dropFirst().map(\.name).joined(separator: "/") }

    private func append(_ path: String, _ value: [UInt8]) {
        if value.isEmpty { return }
        fields.append(XMLRecord.Field(path: path, value: String(decoding: value, as: UTF8.self)))
    }

    private func grow(by count: Int) {
        size += count
        if size > recordSize { stop(.recordTooLarge(limit: recordSize)) }
    }

    private func stop(_ error: XMLError) {
        if failure == nil { failure = error }
        if let context { xmlStopParser(context) }
    }
}

extension XMLRecordState {
    /// A handler that forwards libxml2's events to a state. It replaces libxml2's default handlers, so that no tree
    /// is built.
    static var handler: xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.internalSubset = { state, _, _, _ in XMLRecordState.of(state)?.declareType() }
        handler.startElementNs = { state, name, _, _, _, _, count, _, attributes in
            guard let state = XMLRecordState.of(state) else { return }
            var read: [(String, [UInt8])] = []
            if let attributes, count > 0 {
                // Each attribute has five pointers: name, prefix, namespace, start of the value, and end of the
                // value.
                for index in 0..<Int(count) {
                    let entry = attributes + index * 5
                    guard let begin = entry[3], let end = entry[4] else { continue }
                    read.append(
                        (String(xml: entry[0]), Array(UnsafeBufferPointer(start: begin, count: end - begin))))
                }
            }
            state.begin(String(xml: name), read)
        }
        handler.endElementNs = { state, _, _, _ in XMLRecordState.of(state)?.end() }
        let text: charactersSAXFunc = { state, text, count in
            guard let text, count > 0 else { return }
            XMLRecordState.of(state)?.add(UnsafeBufferPointer(start: text, count: Int(count)))
        }
        handler.characters = text
        handler.ignorableWhitespace = text
        handler.cdataBlock = text
        return handler
    }

    private static func of(_ state: UnsafeMutableRawPointer?) -> XMLRecordState? {
        state.map { Unmanaged<XMLRecordState>.fromOpaque($0).takeUnretainedValue() }
    }
}
