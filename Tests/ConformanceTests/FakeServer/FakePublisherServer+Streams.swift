import NIOCore
import NIOHPACK
import NIOHTTP2

extension FakePublisherServer {
    /// Responds to each stream as soon as its response is ready, independently of the others.
    func serve(_ connection: NIOAsyncChannel<HTTP2Frame, HTTP2Frame>) async throws {
        try await connection.executeThenClose { inbound, outbound in
            try await withThrowingDiscardingTaskGroup { streams in
                var requests: [HTTP2StreamID: (head: HPACKHeaders, body: [UInt8])] = [:]
                for try await frame in inbound {
                    let isComplete: Bool
                    switch frame.payload {
                    case .headers(let part):
                        requests[frame.streamID] = (part.headers, [])
                        isComplete = part.endStream
                    case .data(let part):
                        if case .byteBuffer(let bytes) = part.data {
                            requests[frame.streamID]?.body += bytes.readableBytesView
                        }
                        isComplete = part.endStream
                    default: continue
                    }
                    guard isComplete, let (head, body) = requests.removeValue(forKey: frame.streamID),
                        let request = FakeServerRequest(head, body)
                    else { continue }
                    streams.addTask {
                        try? await outbound.write(contentsOf: delayedResponse(request).frames(on: frame.streamID))
                    }
                }
            }
        }
    }
}

extension FakeServerRequest {
    fileprivate init?(_ head: HPACKHeaders, _ body: [UInt8]) {
        var text = "\(head.first(name: ":method") ?? "") \(head.first(name: ":path") ?? "") HTTP/2\r\n"
        for field in head where !field.name.hasPrefix(":") { text += "\(field.name): \(field.value)\r\n" }
        self.init(Array("\(text)\r\n".utf8) + body)
        isStream = true
    }
}

extension FakeResponse {
    fileprivate func frames(on stream: HTTP2StreamID) -> [HTTP2Frame] {
        var head = HPACKHeaders([(":status", "\(status)")])
        for (name, value) in headers { head.add(name: name.lowercased(), value: value) }
        return [
            HTTP2Frame(streamID: stream, payload: .headers(.init(headers: head))),
            HTTP2Frame(
                streamID: stream,
                payload: .data(.init(data: .byteBuffer(ByteBuffer(bytes: isHead ? [] : body)), endStream: true))),
        ]
    }
}
