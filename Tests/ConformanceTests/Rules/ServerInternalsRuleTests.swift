import Testing

@testable import Conformance

@Suite("Rule about server internals in a response")
struct ServerInternalsRuleTests {
    /// Each marker, with a page that contains this marker only.
    private static let pages: [(String, String)] = [
        (
            "Traceback (most recent call last)",
            "Traceback (most recent call last):\n  File \"/srv/verify.py\", line 3\nKeyError: 'token'"
        ),
        ("Fatal error", "PHP Fatal error:  Uncaught TypeError in /srv/verify.php:3"),
        ("Stack trace:", "Stack trace:\n#0 /srv/verify.php(3): verify()\n#1 {main}"),
        ("stack traceback", "/srv/verify.lua:3: attempt to index a nil value\nstack traceback:\n\tcoroutine 0:"),
        ("<b>Warning</b>:", "<br />\n<b>Warning</b>:  mysqli_connect(): Connection refused in <b>/srv/verify.php</b>"),
        ("<b>Notice</b>:", "<br />\n<b>Notice</b>:  Trying to get property of non-object in <b>/srv/verify.php</b>"),
        ("Undefined index", "Undefined index: token in /srv/verify.php on line 3"),
        ("Undefined variable", "Undefined variable: token in /srv/verify.php on line 3"),
        ("Undefined array key", "Undefined array key \"token\" in /srv/verify.php on line 3"),
        ("\tat java.", "java.lang.NullPointerException\n\tat java.base/java.util.Objects.requireNonNull(Objects.java)"),
        ("\tat org.", "jakarta.servlet.ServletException\n\tat org.apache.catalina.core.StandardWrapper.load(Unknown)"),
        ("\tat com.", "java.lang.IllegalStateException\n\tat com.example.Verify.doGet(Verify.java:3)"),
        ("Exception in thread", "Exception in thread \"main\" java.lang.OutOfMemoryError"),
        ("System.NullReferenceException", "System.NullReferenceException: Object reference not set to an instance"),
        ("System.Web.", "   at System.Web.HttpApplication.ExecuteStep(IExecutionStep step)"),
        ("SQLSTATE[", "SQLSTATE[HY000] [2002] Connection refused"),
        ("You have an error in your SQL syntax", "You have an error in your SQL syntax; check the manual"),
        ("ORA-0", "ORA-01017: invalid username/password; logon denied"),
        ("PG::", "PG::UndefinedTable: ERROR:  relation \"subscribers\" does not exist"),
        ("psql:", "psql: error: could not connect to server: Connection refused"),
        ("goroutine 1 [", "goroutine 1 [running]:\nmain.verify()\n\t/srv/verify.go:3 +0x1d"),
        ("panic: ", "panic: runtime error: index out of range [1] with length 1"),
        ("node_modules/", "    at Layer.handle (/srv/node_modules/express/lib/router/layer.js:95:5)"),
        ("/var/www/", "include(/var/www/html/config.inc): Failed to open stream"),
        ("/usr/share/php", "(include_path='.:/usr/share/php')"),
        ("Whoops, looks like something went wrong", "Whoops, looks like something went wrong."),
    ]

    @Test("finds each marker separately", arguments: pages)
    func sign(sign: String, page: String) throws {
        let address = try #require(Address("http://127.0.0.1/test/no-such-call"))
        let response = ReceivedResponse(
            status: 404, fields: [Field("Cache-Control", "no-store")], body: Array(page.utf8))
        let report = try judge(Exchange(Probe(.unknownPath, address), .success(response)))
        expect(report, breaks: "malformed-traces")
        #expect(report["malformed-traces"]?.findings.map(\.text) == ["the body contains \(Printable.quote(sign))"])
    }

    @Test("has a test for every marker")
    func complete() {
        #expect(Self.pages.map { $0.0 } == MalformedRules.signs)
    }
}
