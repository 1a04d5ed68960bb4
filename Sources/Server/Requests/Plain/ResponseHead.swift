import ContentGate
import Foundation
import FrontDoors
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

extension ByteBuffer {
    /// Writes the status line and the fields of a response, in the form in which NIO's encoder writes them. The fields
    /// that every response has follow the response's own.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - id: The identifier of its request.
    ///   - isChunked: A Boolean value that indicates whether the body follows in chunks, because its length is not
    ///     known.
    mutating func write(headOf response: Response, _ id: RequestID, isChunked: Bool) {
        writeStaticString("HTTP/1.1 ")
        if response.status == .ok {
            writeStaticString("200 OK")
        } else {
            writeString(String(response.status.code))
            writeStaticString(" ")
            writeString(response.status.reasonPhrase)
        }
        let forbidsCaching = !response.headers.contains(.cacheControl)
        for field in response.headers where !(forbidsCaching && NoCacheHeaders.replaces(field.name)) {
            writeStaticString("\r\n")
            writeString(field.name.rawName)
            writeStaticString(": ")
            _ = field.withUnsafeBytesOfValue { writeBytes($0) }
        }
        writeStaticString("\r\nX-Request-Id: ")
        writeString(id.description)
        writeStaticString("\r\nDate: ")
        writeString(ResponseDate.now)
        if forbidsCaching { writeBytes(Self.noCacheLines) }
        if isChunked { writeStaticString("\r\ntransfer-encoding: chunked") }
        writeStaticString("\r\n\r\n")
    }

    private static let noCacheLines: [UInt8] = {
        var fields = HTTPFields()
        NoCacheHeaders.apply(to: &fields)
        return Array(fields.map { "\r\n\($0.name.rawName): \($0.value)" }.joined().utf8)
    }()

    /// Writes a part of a body in the chunked transfer coding (RFC 9112 section 7.1).
    mutating func write(chunk: ByteBuffer) {
        writeString(String(chunk.readableBytes, radix: 16))
        writeStaticString("\r\n")
        writeImmutableBuffer(chunk)
        writeStaticString("\r\n")
    }
}

/// The date of the current second, made once for all responses of that second.
enum ResponseDate {
    private static let last = Mutex<(second: Int, text: String)>((0, ""))

    static var now: String {
        let second = time(nil)
        return last.withLock { last in
            if last.second != second { last = (second, HTTPDate(seconds: Int64(second)).description) }
            return last.text
        }
    }
}
