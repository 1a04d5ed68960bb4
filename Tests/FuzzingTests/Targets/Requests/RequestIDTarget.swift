@testable import Server

extension FuzzTarget {
    /// A request identifier of a proxy, which becomes a header and part of a log line.
    static let requestID = FuzzTarget("request-id", upTo: 70, of: "RequestID") { bytes in
        let sent = text(bytes)
        let isValid = (1...64).contains(sent.utf8.count) && sent.utf8.allSatisfy(allowed.contains)
        let read = RequestID(proxy: sent)
        promise((read != nil) == isValid, "an identifier in another form was accepted, or a valid one rejected")
        promise(read.map { $0.description == sent } ?? true, "an identifier was changed")
    }

    private static let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-".utf8)
}
