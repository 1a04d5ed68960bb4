package import HTTPTypes
import Hummingbird
package import NIOCore

/// A complete response, which can be sent at once.
package struct BufferedResponse: Sendable {
    package var status: HTTPResponse.Status
    /// The headers without the length, the date and the no-cache headers of every response.
    package var headers: HTTPFields
    package var body: ByteBuffer

    package init(status: HTTPResponse.Status, headers: HTTPFields = [:], body: ByteBuffer = ByteBuffer()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    var response: Response { Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body)) }
}
