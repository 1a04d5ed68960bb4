import HTTPTypes
import Hummingbird
import NIOCore
import NIOHPACK
import NIOHTTP2

/// The frames of a response.
///
/// The last frame with content also ends the stream. The last part of a body is therefore held until its end is
/// confirmed, if the length of the body shows that it is the last one.
struct HTTP2OutgoingResponse {
    typealias Payload = HTTP2Frame.FramePayload

    /// The fields of a response without a body.
    private var heldFields: HPACKHeaders?
    private var heldPart: ByteBuffer?
    /// The number of body bytes that follow; nil if it is not known.
    private var rest: Int?
    /// A Boolean value that indicates whether the last frame was made.
    private(set) var hasEnded = false

    mutating func begin(_ response: Response, _ send: (Payload) -> Void) {
        rest = response.body.contentLength
        let fields = HPACKHeaders(response)
        if rest == 0 { heldFields = fields } else { send(.headers(.init(headers: fields))) }
    }

    mutating func write(_ part: ByteBuffer, _ send: (Payload) -> Void) {
        sendHeld(send)
        rest = rest.map { $0 - part.readableBytes }
        if rest == 0 { heldPart = part } else { send(.data(.init(data: .byteBuffer(part)))) }
    }

    /// - Parameter canEndWithHead: False if the end must be a DATA frame. `NIOHTTP2Handler` delays DATA frames, but not
    ///   HEADERS frames, while the client receives nothing, so a client could otherwise open streams without limit.
    mutating func finish(_ trailers: HTTPFields?, canEndWithHead: Bool, _ send: (Payload) -> Void) {
        guard !hasEnded else { return }
        hasEnded = true
        if let trailers {
            sendHeld(send)
            send(.headers(.init(headers: HPACKHeaders(trailers: trailers), endStream: true)))
        } else if canEndWithHead, let fields = heldFields.take() {
            send(.headers(.init(headers: fields, endStream: true)))
        } else {
            let last = heldPart.take()
            sendHeld(send)
            send(.data(.init(data: .byteBuffer(last ?? ByteBuffer()), endStream: true)))
        }
    }

    private mutating func sendHeld(_ send: (Payload) -> Void) {
        if let fields = heldFields.take() { send(.headers(.init(headers: fields))) }
        if let part = heldPart.take() { send(.data(.init(data: .byteBuffer(part)))) }
    }
}
