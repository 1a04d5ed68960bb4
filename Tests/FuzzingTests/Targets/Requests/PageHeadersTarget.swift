import HTTPTypes
import HummingbirdCore
import NIOCore

@testable import FrontDoors

extension FuzzTarget {
    /// Three lines: Accept, a page's origin, and the headers that its scripts request.
    static let pageHeaders = FuzzTarget(
        "page-headers", upTo: 512, of: "SoftphoneResponse", "CrossOrigin", "InPlayerOrigins"
    ) { bytes in
        let lines = lines(bytes, 3)
        checkAccept(lines[0])
        for names in [nil, [], ["https://kiosk.example.com"]] as [Set<String>?] {
            check(page: lines[1], of: names, requesting: lines[2])
        }
    }

    /// Checks that the selected format is listed in Accept, is the preferred one, or else the first.
    private static func checkAccept(_ accept: String) {
        let wanted = MessageFormat.wanted(accept)
        promise(
            MessageFormat(.accept, accept: accept) == wanted ?? .xml, "an app gets a format that it did not request")
        promise(MessageFormat(.form, accept: accept) == .form, "the configured format was ignored")
        if let wanted {
            let names = wanted == .xml ? ["application/xml", "text/xml"] : [wanted.rawValue]
            let ranges = accept.lowercased().utf8.filter { $0 != 0x20 && $0 != 0x09 }
                .split(separator: UInt8(ascii: ",")).map { text(Array($0)) }
            promise(
                names.contains { name in ranges.contains { $0.contains(name) } },
                "a format was chosen that the header does not name")
        }
        if accept.utf8.allSatisfy({ $0 < 0x80 }) {
            promise(MessageFormat.wanted(accept.uppercased()) == wanted, "the format depends on letter case")
        }
        promise(MessageFormat.wanted("application/json," + accept) == .json, "a format other than the first was chosen")
        promise(MessageFormat.wanted(accept + ",application/json;q=0") == wanted, "a format of quality zero was chosen")
        let more = MessageFormat.wanted(accept + ",application/json")
        promise(more == .json || more == wanted, "an unlisted format was chosen")
        checkWeights(accept.utf8.count % 10, Int(accept.utf8.first ?? 0) % 10)
    }

    private static func checkWeights(_ one: Int, _ other: Int) {
        let found = MessageFormat.wanted("text/html, text/xml; q=0.\(one),Application/JSON;q=0.\(other)")
        let expected: MessageFormat = one < other ? .json : .xml
        promise(found == (one + other == 0 ? nil : expected), "the format of the highest quality was not chosen")
    }

    /// Checks that only configured origins get permission to read, and that the permitted headers form a list.
    private static func check(page origin: String, of names: Set<String>?, requesting fields: String) {
        let allowed = InPlayerOrigins(names).response(to: origin)
        if let allowed, let names {
            promise(
                names.contains(allowed) && allowed.utf8.elementsEqual(origin.utf8),
                "a page of an unlisted origin may read")
        }
        let headers: HTTPFields = [.accessControlRequestHeaders: fields]
        let head = HTTPRequest(
            method: .options, scheme: nil, authority: nil, path: "/accounts", headerFields: headers)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let preflight = CrossOrigin.preflight(request, allowed: allowed)
        var response = Response(status: .ok)
        CrossOrigin.add(allowed, to: &response)
        for response in [preflight, response] {
            promise(response.headers[.accessControlAllowOrigin] == allowed, "a page of another origin may read")
            let isForAll = allowed == "*" || response.headers[.vary]?.hasPrefix("Origin") == true
            promise(isForAll, "a cached response depends on the origin but does not vary by it")
        }
        let listed = preflight.headers[.accessControlAllowHeaders]
        promise(
            (listed == nil) == (allowed == nil), "allowed headers are missing, or sent to an origin that may not read")
        check(listed ?? ownHeaders, requested: headers[.accessControlRequestHeaders] ?? "")
    }

    private static let ownHeaders = "Authorization, Content-Type, Accept, Authentication-Type"

    private static func check(_ listed: String, requested: String) {
        promise(listed.hasPrefix(ownHeaders), "a header that calls need is not allowed")
        let names = listed.split(separator: ", ", omittingEmptySubsequences: false).map { String($0) }
        promise(names.count <= 24 && listed.utf8.count <= 24 * 66, "a list exceeds its length limit")
        let joined = String(decoding: requested.utf8.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self)
        for name in names.dropFirst(4) {
            promise(HTTPField.Name(name) != nil && joined.contains(name), "a list contains more than header names")
        }
    }
}
