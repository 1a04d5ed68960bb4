import ContentGate
import Foundation
import FrontDoors
import HTTPTypes
import NIOCore
import Synchronization

/// The writer of response bytes in Hummingbird's format: status line, own headers, length, caching headers and
/// date.
enum FastPathResponse {
    static func bytes(of response: BufferedResponse) -> ByteBuffer {
        var out = ByteBufferAllocator().buffer(capacity: 512 + response.body.readableBytes)
        out.writeStaticString("HTTP/1.1 ")
        out.writeString(response.status == .ok ? "200 OK" : "\(response.status)")
        // The caching headers have constant bytes unless the response itself sets one of the affected headers.
        if response.headers.allSatisfy({ !affectedNames.contains($0.name) }) {
            write(response.headers, into: &out)
            write(length: response.body.readableBytes, into: &out)
            out.writeImmutableBuffer(noCache)
        } else {
            var headers = response.headers
            headers[.contentLength] = String(response.body.readableBytes)
            NoCacheHeaders.applyUnlessSet(to: &headers)
            write(headers, into: &out)
        }
        out.writeStaticString("\r\nDate: ")
        out.writeString(FastPathDate.now)
        out.writeStaticString("\r\n\r\n")
        out.writeImmutableBuffer(response.body)
        return out
    }

    private static let noCache = {
        var fields = HTTPFields()
        NoCacheHeaders.applyUnlessSet(to: &fields)
        var bytes = ByteBuffer()
        write(fields, into: &bytes)
        return bytes
    }()

    private static let affectedNames = NoCacheHeaders.affectedNames + [.contentLength]

    private static func write(_ fields: HTTPFields, into out: inout ByteBuffer) {
        for field in fields {
            out.writeStaticString("\r\n")
            out.writeString(field.name.rawName)
            out.writeStaticString(": ")
            out.writeString(field.value)
        }
    }

    private static func write(length: Int, into out: inout ByteBuffer) {
        out.writeStaticString("\r\nContent-Length: ")
        out.writeString(String(length))
    }
}

/// The date of the current second, written once for all responses of that second.
enum FastPathDate {
    private static let last = Mutex<(second: Int, text: String)>((0, ""))

    static var now: String {
        let second = time(nil)
        return last.withLock { last in
            if last.second != second { last = (second, HTTPDate(seconds: Int64(second)).description) }
            return last.text
        }
    }
}
