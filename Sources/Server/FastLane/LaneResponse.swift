import ContentGate
import Foundation
import FrontDoors
import HTTPTypes
import NIOCore
import Synchronization

/// Writes a response as Hummingbird would: status line, its own headers, the length, what every answer says to caches, the date.
enum LaneResponse {
    static func bytes(of answer: WholeAnswer) -> ByteBuffer {
        var out = ByteBufferAllocator().buffer(capacity: 512 + answer.body.readableBytes)
        out.writeStaticString("HTTP/1.1 ")
        out.writeString(answer.status == .ok ? "200 OK" : "\(answer.status)")
        // What every answer says to caches has the same bytes wherever the answer itself says nothing that touches it.
        if answer.headers.allSatisfy({ !touched.contains($0.name) }) {
            write(answer.headers, into: &out)
            write(length: answer.body.readableBytes, into: &out)
            out.writeImmutableBuffer(noCache)
        } else {
            var headers = answer.headers
            headers[.contentLength] = String(answer.body.readableBytes)
            NoCacheHeaders.applyUnlessSet(to: &headers)
            write(headers, into: &out)
        }
        out.writeStaticString("\r\nDate: ")
        out.writeString(LaneDate.now)
        out.writeStaticString("\r\n\r\n")
        out.writeImmutableBuffer(answer.body)
        return out
    }

    private static let noCache = {
        var fields = HTTPFields()
        NoCacheHeaders.applyUnlessSet(to: &fields)
        var bytes = ByteBuffer()
        write(fields, into: &bytes)
        return bytes
    }()

    private static let touched = NoCacheHeaders.touched + [.contentLength]

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

/// The date of the present second, written once for all answers in it.
enum LaneDate {
    private static let last = Mutex<(second: Int, text: String)>((0, ""))

    static var now: String {
        let second = time(nil)
        return last.withLock { last in
            if last.second != second { last = (second, HTTPDate(seconds: Int64(second)).description) }
            return last.text
        }
    }
}
