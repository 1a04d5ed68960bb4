package import HTTPTypes
import Hummingbird
package import NIOCore

/// A response that is all there: what can be sent by whoever has it, at once.
package struct WholeAnswer: Sendable {
    package var status: HTTPResponse.Status
    /// Without the length, the date, and what every answer says to caches.
    package var headers: HTTPFields
    package var body: ByteBuffer

    package init(status: HTTPResponse.Status, headers: HTTPFields = [:], body: ByteBuffer = ByteBuffer()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    var response: Response { Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body)) }
}
