import Commerce
import Gatefold
import HTTPTypes
import Server

@testable import ContentGate
@testable import FrontDoors

extension FuzzTarget {
    /// Every body, parsed by every body parser, because the declared content type is not reliable.
    static let requestBody = FuzzTarget(
        "request-body", upTo: 2048, of: "FormFields", "FlatJSON", "RequestFields", "BakerBody",
        "BasispressRegistration", "AppleReceiptBody", "SoftphonePurchase", "InPlayerFields", "TemplateVariable"
    ) { bytes in
        let form = FrontDoors.FormFields.parse(bytes)
        promise(form.allSatisfy { !$0.name.isEmpty }, "a field has no name")
        let json = FlatJSON.parse(bytes)
        if let flat = try? InPlayerFields.json(bytes) {
            promise(flat.allSatisfy { !$0.name.isEmpty }, "a field has no name")
            if let json, !flat.contains(where: { $0.name.hasPrefix("metadata[") }) {
                let isSame = flat.map { [$0.name, $0.value] } == json.map { [$0.name, $0.value] }
                promise(isSame, "a body has two readings")
            }
        }
        let fields = try? RequestFields.read(query: text(bytes)[...].utf8)
        promise(fields?.contains { ($0 + $1).unicodeScalars.contains("\u{FFFD}") } != true, "a field is not text")
        _ = try? BakerBody.parse(bytes)
        _ = try? BasispressRegistration(bytes)
        let isBlank = bytes.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        promise((AppleReceiptBody.text(bytes) == nil) == isBlank, "a body is a receipt unless it is blank")
        var reported: [String: String] = [:]
        for (name, value) in json ?? form { reported[name] = value }
        guard let purchase = SoftphonePurchase(reported, by: softphone) else { return }
        promise(
            (1...256).contains(purchase.credit.account.utf8.count) && !purchase.credit.account.utf8.contains(0)
                && purchase.receipt[.product]?.isEmpty == false, "a purchase has no account or no product")
        promise(
            !TemplateVariable.occurs(in: purchase.credit.account)
                && !purchase.credit.account.unicodeScalars.contains("\u{FFFD}"),
            "an account name has an unfilled template variable or invalid UTF-8")
    }

    /// Five lines: X-Forwarded-For, the forwarded target, its method, Accept-Language, and a bearer header or the state
    /// of an external sign-in.
    static let requestHeaders = FuzzTarget(
        "request-headers", upTo: 512, of: "ClientAddressResolver", "ForwardedTarget", "AcceptLanguage", "AccessTokens",
        "InPlayerRequestHandler", "Messages"
    ) { bytes in
        let lines = lines(bytes, 5)
        var headers = HTTPFields()
        for (name, value) in zip(["x-forwarded-for", "x-original-uri", "x-original-method"], lines) {
            if let name = HTTPField.Name(name), !value.isEmpty { headers.append(HTTPField(name: name, value: value)) }
        }
        let client = resolver.client(peer: proxy, headers: headers)
        promise(client != nil, "a request has no client address")
        promise(
            resolver.client(peer: stranger, headers: headers) == stranger, "a header of an untrusted client was used")
        let head = HTTPRequest(
            method: .get, scheme: nil, authority: nil, path: "/auth" + lines[1], headerFields: headers)
        if let reported = ForwardedTarget.original.read(head) {
            promise(reported.target.utf8.first == 0x2F, "a forwarded target is not a path")
        }
        promise(ForwardedTarget.forwarded.read(head) == nil, "a target was read from another convention's headers")
        if let reported = ForwardedTarget.pathPrefix("/auth").read(head), let path = head.path {
            promise(reported.target.utf8.elementsEqual(path.utf8.dropFirst(5)), "a path was split at another position")
            promise(reported.target.utf8.first == 0x2F, "a forwarded target is not a path")
        }
        let languages = AcceptLanguage.parse(lines[3])
        promise(languages.count <= 10, "too many languages")
        if messages.text(.active, for: languages) != nil {
            promise(
                languages.contains { $0 == "de" || $0.hasPrefix("de-") }, "a language was chosen that was not requested"
            )
        }
        _ = Bearer(lines[4])
        _ = SocialState(lines[4])
    }

    private static let proxy = ClientAddress("10.0.0.1")
    private static let stranger = ClientAddress("192.0.2.1")
    private static let resolver = ClientAddressResolver(trusted: [AddressBlock("10.0.0.0/8")!])

    private static let messages = Messages(["de": [.active: "Willkommen"], "de-ch": [.active: "Grüezi"]])

    private static let softphone = {
        var settings = CloudSoftphone(path: "/title/iap", store: .apple)
        settings.fields.token = "token"
        return settings
    }()
}
