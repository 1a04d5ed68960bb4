package import HTTPTypes
import Hummingbird

/// The rule that expired credentials can only complete a download.
///
/// A request must ask for the rest of a file in the one format that every server reads alike. The response shows
/// whether it begins at byte 0, because `If-Range` can fail to match. If another server sends the file, the gate
/// does not see the response, so a request with `If-Range` counts as a new download.
///
/// Source: Pitfall 17, “Ranges and large files turned against the gate”.
package enum ResumptionRule {
    /// The maximum number of decimal digits of an offset. Every number of this length fits into 63 bits.
    private static let maxDigits = 18

    /// Returns whether a request asks only for the rest of a file: a GET with the single range `bytes=FIRST-` or
    /// `bytes=FIRST-LAST`, where FIRST is greater than zero and not greater than LAST.
    ///
    /// Other spellings are not accepted, although some servers read them: a space, a leading zero, a list, a
    /// suffix, another case.
    package static func isResume(_ method: HTTPRequest.Method, _ headers: HTTPFields) -> Bool {
        let ranges = headers[values: .range]
        guard method == .get, ranges.count == 1, ranges[0].hasPrefix("bytes=") else { return false }
        let parts = ranges[0].utf8.dropFirst(6).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, let first = number(parts[0]), first > 0 else { return false }
        guard !parts[1].isEmpty else { return true }
        return number(parts[1]).map { $0 >= first } ?? false
    }

    /// Returns whether a request asks only for the rest of a file and has no `If-Range`. Use it if the gate does
    /// not see the response.
    ///
    /// The front server withholds `If-Range` from this check and sends a condition that fails instead of restarting
    /// the file.
    package static func isUnconditionalResume(_ method: HTTPRequest.Method, _ headers: HTTPFields) -> Bool {
        isResume(method, headers) && !headers.contains(.ifRange)
    }

    /// Returns whether the response to a resuming request contains no file from its beginning.
    static func permits(_ response: Response) -> Bool {
        switch response.status {
        case .ok: false
        case .partialContent: beginsLater(response.headers[values: .contentRange])
        default: true
        }
    }

    /// Returns whether there is exactly one `Content-Range` and its first byte is not the first byte of the file.
    private static func beginsLater(_ values: [String]) -> Bool {
        guard values.count == 1, values[0].hasPrefix("bytes ") else { return false }
        guard let first = UInt64(values[0].dropFirst(6).prefix { $0 != "-" }) else { return false }
        return first > 0
    }

    /// Parses a number. Returns `nil` for text with other characters than digits, and for a leading zero.
    private static func number(_ text: Substring.UTF8View) -> Int64? {
        guard (1...maxDigits).contains(text.count), text.first != UInt8(ascii: "0"),
            text.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return nil }
        return Int64(Substring(text))
    }
}
