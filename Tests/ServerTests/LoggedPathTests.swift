import Testing

@testable import Server

@Suite("Logged path")
struct LoggedPathTests {
    @Test("Shows the requested path without its query")
    func plain() {
        #expect(LoggedPath.of("/daily/sign_in?password=x", route: "/{publication}/sign_in") == "/daily/sign_in")
        #expect(LoggedPath.of("/sign_in/extra?\u{301}password=x", route: "none") == "/sign_in/{other}")
    }

    private static let installation = "6B8F0E1C-2A3D-4E5F-8A9B-0C1D2E3F4A5B"

    @Test(
        "Shows the route instead of a path with an installation identifier, because the identifier opens purchases",
        arguments: [
            ("/purchases/com.example.daily/\(Self.installation)", "/purchases/:app_id/:user_id"),
            ("/confirmpurchase/com.example.daily/a%20b%2Fc", "/confirmpurchase/:app_id/:user_id"),
            ("/com.example.daily/any/purchases", "/:app_id/:user_id/purchases"),
        ])
    func installations(_ path: String, _ route: String) {
        #expect(LoggedPath.of(path, route: route) == route)
    }

    @Test(
        "Shows only known words in a path without a route, because the rest may be a secret",
        arguments: [
            ("/", "/"), ("/nowhere", "/{other}"), ("*", "{other}"), ("", ""),
            ("/purchases/com.example.daily/\(Self.installation)", "/purchases/{other}/{other}"),
            ("/Purchases/\(Self.installation.lowercased())/x?y", "/{other}/{other}/{other}"),
            ("/issues/%36\(Self.installation.dropFirst())/", "/issues/{other}/"),
            ("//com.example.daily/installation77/purchases", "//{other}/{other}/purchases"),
            ("/verify_subscription/t0ken", "/verify_subscription/{other}"),
            ("/daily/edition_credentials/t0ken/sign_in/", "/{other}/edition_credentials/{other}/sign_in/"),
            ("/sign%5Fin/sign_in%3Ft0ken", "/{other}/{other}"), ("http://t0ken/sign_in", "{other}//{other}/sign_in"),
            ("/accounts/\u{301}t0ken", "/accounts/{other}"), ("/Content/t0ken", "/{other}/{other}"),
        ])
    func lost(_ path: String, _ shown: String) {
        #expect(LoggedPath.of(path, route: "none") == shown)
    }

    @Test("Holds at most 512 bytes for any number of segments")
    func long() {
        #expect(LoggedPath.of(String(repeating: "/a", count: 4_000), route: "none").utf8.count <= 512)
    }

    @Test("Shows a content path completely, with any folder names")
    func content() {
        let path = "/content/daily/\(Self.installation)/index.html"
        #expect(LoggedPath.of(path, route: "none") == path)
    }

    @Test(
        "Never shows a mailed token in any spelling",
        arguments: [
            ("/daily/accounts/forgot%2Dpassword/t0ken", "/accounts/forgot-password/{token}"),
            ("/accounts/%66orgot-password/t0ken", "/accounts/forgot-password/{token}"),
            ("/unknown/accounts/forgot%2Dpassword/t0ken", "none"), ("/accounts/Forgot-Password//t0ken", "none"),
            ("/unknown/forgot%2Dpassword/t0ken%zz", "none"), ("/forgot%2Dpassword%2Ft0ken%FF", "none"),
            ("/forgot-password/\u{301}t0ken", "none"), ("/forgot%2Dpassword/%CC%81t0ken", "none"),
        ])
    func mailed(_ path: String, _ route: String) {
        let shown = LoggedPath.of(path, route: route)
        #expect(!shown.contains("t0ken"))
        #expect(route == "none" || shown.contains("forgot-password"))
    }
}
