import HTTPTypes
import Hummingbird

/// Keeps the promise that expired credentials only ever finish a download.
///
/// The gate sees the request; whether an answer begins at byte 0 shows in the answer, for a range can be ignored, `If-Range`
/// can miss, and a suffix can be longer than the file (PITFALLS row 17).
enum ResumptionRule {
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
}
