import Testing

@testable import Server

@Suite("The path in the log")
struct LoggedPathTests {
    @Test("is the one that was asked for, without its query")
    func plain() {
        #expect(LoggedPath.of("/daily/sign_in?password=x", route: "/{publication}/sign_in") == "/daily/sign_in")
        #expect(LoggedPath.of("/nowhere", route: "none") == "/nowhere")
        #expect(LoggedPath.of("/nowhere?\u{301}password=x", route: "none") == "/nowhere")
    }

    private static let installation = "6B8F0E1C-2A3D-4E5F-8A9B-0C1D2E3F4A5B"

    @Test(
        "has no identifier of an installation, which alone opens its purchases: of a route with one the route is shown",
        arguments: [
            ("/purchases/com.example.daily/\(Self.installation)", "/purchases/:app_id/:user_id"),
            ("/confirmpurchase/com.example.daily/a%20b%2Fc", "/confirmpurchase/:app_id/:user_id"),
            ("/com.example.daily/any/purchases", "/:app_id/:user_id/purchases"),
        ])
    func installations(_ path: String, _ route: String) {
        #expect(LoggedPath.of(path, route: route) == route)
    }

    @Test(
        "has no identifier of an installation where the path has no route either",
        arguments: [
            ("/purchases/com.example.daily/\(Self.installation)", "/purchases/com.example.daily/{id}"),
            ("/Purchases/\(Self.installation.lowercased())/x?y", "/Purchases/{id}/x"),
            ("/issues/\(Self.installation.replacing("-", with: "%2D"))", "/issues/{id}"),
            ("/issues/%36\(Self.installation.dropFirst())/", "/issues/{id}/"),
            ("/issues/x\(Self.installation)y%zz", "/issues/{id}"),
            ("/\(Self.installation)/\(Self.installation)", "/{id}/{id}"),
            ("/issues/com.example.daily/6B8F0E1C-2A3D", "/issues/com.example.daily/6B8F0E1C-2A3D"),
        ])
    func lost(_ path: String, _ shown: String) {
        #expect(LoggedPath.of(path, route: "none") == shown)
    }

    @Test("is whole for content, whatever its folders are called")
    func content() {
        let path = "/content/daily/\(Self.installation)/index.html"
        #expect(LoggedPath.of(path, route: "none") == path)
    }

    @Test(
        "has no mailed token, however it is written",
        arguments: [
            ("/daily/accounts/forgot%2Dpassword/t0ken", "/accounts/forgot-password/{token}"),
            ("/accounts/%66orgot-password/t0ken", "/accounts/forgot-password/{token}"),
            ("/unknown/accounts/forgot%2Dpassword/t0ken", "none"), ("/accounts/Forgot-Password//t0ken", "none"),
            ("/unknown/forgot%2Dpassword/t0ken%zz", "none"), ("/forgot%2Dpassword%2Ft0ken%FF", "none"),
            ("/forgot-password/\u{301}t0ken", "none"), ("/forgot%2Dpassword/%CC%81t0ken", "none"),
        ])
    func mailed(_ path: String, _ route: String) {
        let shown = LoggedPath.of(path, route: route)
        #expect(!shown.contains("t0ken") && shown.lowercased().contains("forgot-password"))
    }
}
