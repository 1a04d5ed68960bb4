import Foundation
import FrontDoors
import HTTPTypes
import Primitives

@testable import Server

extension FuzzTarget {
    /// A request target: whether its form is valid, and its text in the log, which contains no mailed token and no
    /// installation identifier.
    static let loggedPath = FuzzTarget("logged-path", upTo: 600, of: "LoggedPath", "ResponseRules") { bytes in
        let target = text(bytes)
        let isASCII = bytes.allSatisfy { $0 < 0x80 }
        for method in [HTTPRequest.Method.get, .options] {
            let isAccepted = ResponseRules.hasTargetForm(target, method: method)
            let hasForm = isPathOrAddress(bytes) || bytes == [UInt8(ascii: "*")] && method == .options
            promise(!isAccepted || hasForm, "a target without a valid form was accepted")
            if isASCII { promise(isAccepted == hasForm, "a target with a valid form was rejected") }
        }
        for route in [
            "none", "/{publication}/sign_in", "/accounts/forgot-password/{token}", "/purchases/:app_id/:user_id",
        ] {
            let shown = LoggedPath.of(target, route: route)
            promise(shown == route || shown.count <= 512, "a log line exceeds its length limit")
            promise(!shown.utf8.contains(UInt8(ascii: "?")), "a query is in the log")
            if !target.hasPrefix("/content/") { check(installationBehind: target, route, bytes) }
            check(mailed: "\(target)/\(written("forgot-password", bytes))", of: target, route)
        }
        if !target.hasPrefix("/content/") {
            let shown = LoggedPath.of(target, route: "none")
            promise(!shown.contains("%"), "the log contains an escaped part of a path without a route")
            let read = shown.split(separator: "/").dropLast()
            promise(
                read.allSatisfy { $0 == "{other}" || PublicationConfiguration.reserved.contains(String($0)) },
                "the log contains a word that no call has")
        }
    }

    /// Checks a token after the words, with the slash in each spelling.
    private static func check(mailed words: String, of target: String, _ route: String) {
        for slash in ["/", "//", "%2F", "%2f/"] {
            let path = "\(words)\(slash)\(token)/more"
            guard !target.contains(token), !target.utf8.contains(UInt8(ascii: "?")) else { continue }
            promise(!LoggedPath.of(path, route: route).contains(token), "a mailed token is in the log")
        }
    }

    /// Checks the identifier of an installation at the end of a path, in any spelling.
    private static func check(installationBehind target: String, _ route: String, _ bytes: [UInt8]) {
        let shown = LoggedPath.of("\(target)/\(written(installation, bytes))", route: route)
        let read = FrontDoors.FormFields.unescaped(Array(shown.utf8)).uppercased()
        guard !target.uppercased().contains(installation) else { return }
        promise(!read.contains(installation), "an installation identifier is in the log")
    }

    private static let installation = "6B8F0E1C-2A3D-4E5F-8A9B-0C1D2E3F4A5B"
    private static let token = "zq9t0ken"

    /// Returns the word in one of its many spellings, which the bytes select.
    private static func written(_ word: String, _ bytes: [UInt8]) -> String {
        var text = ""
        for (place, letter) in word.utf8.enumerated() {
            let choice = bytes.isEmpty ? 0 : bytes[place % bytes.count] % 4
            let plain = String(Unicode.Scalar(letter))
            switch choice {
            case 0: text += plain
            case 1: text += plain.uppercased()
            case 2: text += "%" + Hexadecimal.encode([letter])
            default: text += "%" + Hexadecimal.encode([letter]).uppercased()
            }
        }
        return text
    }

    /// Returns whether the target is a path or a URL (RFC 9112 sections 3.2.1 and 3.2.2).
    private static func isPathOrAddress(_ target: [UInt8]) -> Bool {
        let start = target.prefix(8).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return target.first == UInt8(ascii: "/") || start.starts(with: Array("http://".utf8))
            || start.elementsEqual("https://".utf8)
    }
}
