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
