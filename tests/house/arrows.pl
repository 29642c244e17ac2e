# arrows.pl: what includes what and what calls what, read from the sources that are named on the command line (paths
# from the root of the tree). Prints one line for each breach, "RULE<tab>file:line: sentence", where RULE is
#   private   an include of another folder's private header
#   twice     an include of another folder's header that a header of the own folder, which is included too, brings
#   order     a header from which an include leads, directly or over other headers, to a folder that is not below
#   calls     a use of a function or table that is defined in a folder that is not below
#   circle    source files that call one another in a circle, unless --circle=A,B,... lists exactly these files
#   stale     a circle that is listed, but does not exist
# It needs nothing but the perl of a base system.
use strict;
use warnings;

# Every folder, and all folders that it may reach.
my %below;
my @lower;
sub floor_of {    # the folders of one floor: they reach every lower floor, but not each other
  my @folders = @_;
  $below{$_} = { map { $_ => 1 } @lower, $_ } for @folders;
  push @lower, @folders;
}
floor_of('dorm');
floor_of('base');
floor_of('settings');
floor_of('data');
floor_of('features', 'clicks');
floor_of('losses', 'assignment', 'kernels', 'measures', 'policies');
floor_of('lambdas');
floor_of('solver', 'trees', 'nets');
floor_of('models');
floor_of('jobs');
floor_of('trainers');
floor_of('training');
floor_of('collaborative/ratings');
floor_of('collaborative/factorization');
$below{cli} = { dorm => 1, cli => 1 };
# The one arrow between siblings: a measure that is minus a loss.
my $bridge = 'measures/minus_loss.c';

sub folder_of {
  my ($path) = @_;
  return 'dorm' if $path =~ m{^include/dorm/};
  return $1     if $path =~ m{^(collaborative/[^/]+)/};
  return $path =~ m{^([^/]+)/} ? $1 : '';
}

sub may_reach {
  my ($path, $target) = @_;
  return 1 if $path eq $bridge && $target eq 'losses';
  return $below{ folder_of($path) }{$target};
}

# A folder's face is the header that bears its name; every header of the shelves is public.
my %is_shelf = (dorm => 1, base => 1);
sub is_public {
  my ($path) = @_;
  my $folder = folder_of($path);
  my ($last) = $folder =~ m{([^/]+)$};
  return $is_shelf{$folder} || $path eq "$folder/$last.h";
}

my @allowed;
my @paths;
for (@ARGV) {
  if   (/^--circle=(.*)/) { push @allowed, join(' ', sort split /,/, $1) }
  else                    { push @paths,   $_ }
}

# ---- Includes ----

my %lines_of;    # includes of a file: [path, line] in the file's order
my %text_of;     # without comments, texts and preprocessor lines, the line breaks kept

# The file that an include names, as the compiler finds it: beside the file, then from the root, then in include/.
sub resolve {
  my ($from, $name, $is_quoted) = @_;
  (my $beside = $from) =~ s{[^/]*$}{$name};
  1 while $beside =~ s{[^/]+/\.\./}{};
  for my $path ($is_quoted ? ($beside) : (), $name, "include/$name") {
    return $path if -f $path;
  }
  return;
}

sub read_source {
  my ($path) = @_;
  return if $lines_of{$path};
  open my $file, '<', $path or die "arrows.pl: cannot read $path\n";
  my $text = do { local $/; <$file> };
  close $file;
  $lines_of{$path} = [];
  my $number = 0;
  for my $line (split /\n/, $text) {
    $number++;
    next unless $line =~ /^\s*#\s*include\s*([<"])([^>"]+)[>"]/;
    my $found = resolve($path, $2, $1 eq '"');
    push @{ $lines_of{$path} }, [$found, $number] if defined $found;
  }
  $text =~ s{(/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')}{ (my $blank = $1) =~ tr/\n//cd; " $blank" }gse;
  $text =~ s{^[ \t]*#(?:[^\n]*\\\n)*[^\n]*}{ (my $blank = $&) =~ tr/\n//cd; $blank }gme;
  $text_of{$path} = $text;
  read_source($_->[0]) for @{ $lines_of{$path} };
}
read_source($_) for @paths;

# All headers to which an include of this header leads, itself included.
my %reached;
sub reached_by {
  my ($header) = @_;
  return $reached{$header} if $reached{$header};
  $reached{$header} = { $header => 1 };
  $reached{$header} = { %{ $reached{$header} }, map { %{ reached_by($_->[0]) } } @{ $lines_of{$header} } };
  return $reached{$header};
}

for my $path (sort @paths) {
  my $folder = folder_of($path);
  my $own = [ grep { folder_of($_->[0]) eq $folder } @{ $lines_of{$path} } ];
  for my $include (grep { folder_of($_->[0]) ne $folder } @{ $lines_of{$path} }) {
    my ($bringing) = grep { reached_by($_->[0])->{ $include->[0] } } @$own;
    print "twice\t$path:$include->[1]: $bringing->[0] brings $include->[0]\n" if $bringing;
  }
  for (@{ $lines_of{$path} }) {
    my ($target, $line) = @$_;
    print "private\t$path:$line: $target is private to ", folder_of($target), "/\n"
      if folder_of($target) ne $folder && $below{ folder_of($target) } && !is_public($target);
  }
  # Breadth first, so that the way which is printed is a shortest one.
  my %way;
  my %is_told;
  my @queue = map { [$_->[0], $_->[1], $_->[0]] } @{ $lines_of{$path} };
  while (my $step = shift @queue) {
    my ($at, $line, $names) = @$step;
    next if $way{$at}++;
    my $target = folder_of($at);
    if (!may_reach($path, $target)) {
      print "order\t$path:$line: $folder/ reaches $target/ ($names)\n" unless $is_told{$target}++;
      next;
    }
    push @queue, map { [$_->[0], $line, "$names > $_->[0]"] } @{ $lines_of{$at} };
  }
}

# ---- Calls ----
# x.c and x.h are one node, named without ending. A definition is a function with a body, or a table with its values,
# that is not static (inline functions of headers are definitions too); every other mention of its name is a use. Only
# uses of functions make circles: a registry that lists the tables of its entries does not call them.

my %home;     # name => node that defines it
my %table;    # names of tables
my %line;    # "user node\tnode used" => "file:line: name" of one use
sub node_of { (my $node = $_[0]) =~ s/\.[ch]$//; return $node }

for my $path (sort keys %text_of) {
  my $is_header = $path =~ /\.h$/;
  while ($text_of{$path} =~
    /^(?!typedef|extern|return|else)([A-Za-z_][\w\s\*]*?[\s\*])(\w+)(?:\s*\([^;{}]*\)\s*\{|(?:\[[^\]]*\])*\s*(=))/gm) {
    my ($type, $name, $is_table) = ($1, $2, $3);
    next if !$is_header && $type =~ /\bstatic\b/;
    $home{$name} = node_of($path);
    $table{$name} = 1 if $is_table;
  }
}
my %uses;     # user node => nodes of which it uses a function or a table
my %calls;    # the same for functions
for my $path (sort keys %text_of) {
  my $node   = node_of($path);
  my $number = 0;
  for my $text (split /\n/, $text_of{$path}) {
    $number++;
    while ($text =~ /(?<![\w.>])([A-Za-z_]\w*)(\s*\()?/g) {
      my ($name, $is_call) = ($1, $2);
      my $there = $home{$name};
      next if !defined $there || $there eq $node;
      next unless $is_call || $name =~ /^dorm_/;
      next if $path =~ /\.h$/ && $text =~ /^\S.*\b\Q$name\E\(/;    # a prototype
      $line{"$node\t$there"} = "$path:$number: $name" if !$uses{$node}{$there}++;
      next if $table{$name};
      $line{"$node\t$there"} = "$path:$number: $name" if !$calls{$node}{$there}++;
    }
  }
}

for my $node (sort keys %uses) {
  for my $there (sort keys %{ $uses{$node} }) {
    my ($where, $name) = $line{"$node\t$there"} =~ /^(.*): (.*)$/;
    my ($path) = $where =~ /^([^:]*)/;
    my $target = folder_of("$there.c");
    next if folder_of($path) eq 'cli';    # the command sees nothing but the installed header
    print "calls\t$where: $name is defined in $there, which is not below ", folder_of($path), "/\n"
      if $below{ folder_of($path) } && !may_reach($path, $target);
  }
}

# Tarjan's strongly connected components (SIAM Journal on Computing 1, 1972).
my (%index, %low, %on_stack, @stack, @circles);
my $count = 0;
sub visit {
  my ($node) = @_;
  $index{$node} = $low{$node} = ++$count;
  push @stack, $node;
  $on_stack{$node} = 1;
  for my $next (sort keys %{ $calls{$node} || {} }) {
    if (!$index{$next}) {
      visit($next);
      $low{$node} = $low{$next} if $low{$next} < $low{$node};
    } elsif ($on_stack{$next} && $index{$next} < $low{$node}) {
      $low{$node} = $index{$next};
    }
  }
  return if $low{$node} != $index{$node};
  my @members;
  do {
    push @members, pop @stack;
    delete $on_stack{ $members[-1] };
  } until $members[-1] eq $node;
  push @circles, [sort @members] if @members > 1;
}
no warnings 'recursion';
$index{$_} || visit($_) for sort keys %calls;

my %is_found;
for my $members (sort { $a->[0] cmp $b->[0] } @circles) {
  my $files = join ' ', map {"$_.c"} @$members;
  $is_found{$files} = 1;
  my %folders = map { folder_of("$_.c") => 1 } @$members;
  next if keys %folders == 1 && grep { $_ eq $files } @allowed;
  my %is_member = map { $_ => 1 } @$members;
  for my $node (@$members) {
    for my $next (grep { $is_member{$_} } sort keys %{ $calls{$node} }) {
      print "circle\t", $line{"$node\t$next"}, " is defined in $next.c: a circle of ", scalar @$members, " files",
        (keys %folders > 1 ? ' across folders' : ''), "\n";
    }
  }
}
for (@allowed) {
  print "stale\ttests/house/house.sh: there is no circle of $_\n" unless $is_found{$_};
}
