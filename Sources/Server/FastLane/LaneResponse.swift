import Foundation
import FrontDoors
import HTTPTypes
import NIOCore
import Synchronization

/// Writes a response as Hummingbird would: status line, its own headers, the length, what every answer says to caches, the date.
enum LaneResponse {
    static func write(_ answer: WholeAnswer, into out: inout ByteBuffer) {
        out.writeStaticString("HTTP/1.1 ")
        out.writeString(answer.status == .ok ? "200 OK" : "\(answer.status)")
        var headers = answer.headers
        headers[.contentLength] = String(answer.body.readableBytes)
        NoCacheHeaders.applyUnlessSet(to: &headers)
        for field in headers {
            out.writeStaticString("\r\n")
            out.writeString(field.name.rawName)
            out.writeStaticString(": ")
            out.writeString(field.value)
        }
        out.writeStaticString("\r\nDate: ")
        out.writeString(HTTPDate.now)
        out.writeStaticString("\r\n\r\n")
        var body = answer.body
        out.writeBuffer(&body)
    }
}

/// The date as HTTP writes it (RFC 9110 section 5.6.7), made once a second.
enum HTTPDate {
    private static let last = Mutex<(second: Int, text: String)>((0, ""))

    static var now: String {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let second = time.tv_sec
        return last.withLock { last in
            if last.second != second { last = (second, text(second)) }
            return last.text
        }
    }

    private static func text(_ second: Int) -> String {
        var parts = tm()
        var second = time_t(second)
        gmtime_r(&second, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}
