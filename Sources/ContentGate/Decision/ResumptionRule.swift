package import HTTPTypes
import Hummingbird

/// Keeps the promise that expired credentials only ever finish a download.
///
/// A request has to ask for the rest of a file in the one form that every server reads alike. Whether the response begins at byte 0
/// shows in the response, because `If-Range` can miss (PITFALLS row 17). Where another server sends the file and the response is
/// not seen, a request with `If-Range` therefore counts as a new download.
package enum ResumptionRule {
    /// Decimal digits of an offset: as many as fit into 63 bits, whatever they are.
    private static let maxDigits = 18

    /// Returns whether a request asks for the rest of a file and nothing else: a GET with the one range `bytes=FIRST-` or
    /// `bytes=FIRST-LAST`, where FIRST is greater than zero and not greater than LAST.
    ///
    /// Other spellings are refused although some servers read them: a space, a leading zero, a list, a suffix, another case.
    package static func isResume(_ method: HTTPRequest.Method, _ headers: HTTPFields) -> Bool {
        let ranges = headers[values: .range]
        guard method == .get, ranges.count == 1, ranges[0].hasPrefix("bytes=") else { return false }
        let parts = ranges[0].utf8.dropFirst(6).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, let first = number(parts[0]), first > 0 else { return false }
        guard !parts[1].isEmpty else { return true }
        return number(parts[1]).map { $0 >= first } ?? false
    }

    /// The same where the response is not seen: the front server keeps `If-Range` to itself, and turns it into a condition that
    /// fails rather than one that starts the file anew.
    package static func isUnconditionalResume(_ method: HTTPRequest.Method, _ headers: HTTPFields) -> Bool {
        isResume(method, headers) && !headers.contains(.ifRange)
    }

    /// Returns whether the response to such a request holds no file from its beginning.
    static func permits(_ response: Response) -> Bool {
        switch response.status {
        case .ok: false
        case .partialContent: beginsLater(response.headers[values: .contentRange])
        default: true
        }
    }

    /// Whether there is one `Content-Range` and its first byte is not the file's first.
    private static func beginsLater(_ values: [String]) -> Bool {
        guard values.count == 1, values[0].hasPrefix("bytes ") else { return false }
        guard let first = UInt64(values[0].dropFirst(6).prefix { $0 != "-" }) else { return false }
        return first > 0
    }

    /// Returns nil for anything but digits, and for a number that begins with a zero.
    private static func number(_ text: Substring.UTF8View) -> Int64? {
        guard (1...maxDigits).contains(text.count), text.first != UInt8(ascii: "0"),
            text.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return nil }
        return Int64(Substring(text))
    }
}
