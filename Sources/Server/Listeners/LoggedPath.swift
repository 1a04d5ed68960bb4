import Foundation
import FrontDoors

/// What the log says of a path: neither its query, nor a mailed token, which is leave to set somebody's password.
enum LoggedPath {
    private static let longest = 512

    /// - Parameter route: the pattern that was found for it; of the door whose paths can have a token in them it is shown in place of
    ///   the path, however that was written.
    static func of(_ path: String, route: String) -> String {
        if let word = route.split(separator: "/").first, InPlayerWords.all.contains(String(word)) { return route }
        let path = String(path.prefix { $0 != "?" })
        if let call = path.firstRange(of: /forgot-password\/+/.ignoresCase()) {
            return String(path[..<call.upperBound].prefix(longest))
        }
        let decoded = path.removingPercentEncoding ?? path
        if decoded.contains(/forgot-password\//.ignoresCase()) { return "/accounts/forgot-password/" }
        return String(path.prefix(longest))
    }
}
